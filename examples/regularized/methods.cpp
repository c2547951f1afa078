#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "cases.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/plot/caption.hpp"
#include "whorl/plot/montage.hpp"
#include "whorl/trajectory/radial.hpp"

namespace regularized {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::ArrayRef;
using whorl::Context;
using whorl::Index;

whorl::Scan with_true_maps(const Context& ctx, whorl::Scan scan) {
  scan.coil_maps = whorl::phantom_coil_maps<float>(ctx, whorl::make_phantom_coils(ctx, scan.matrix, scan.coils));
  scan.coil_maps.reshape({scan.coils, 1, scan.matrix[1], scan.matrix[0]});
  return scan;
}

Array<float> true_image(const Context& ctx, const Settings& settings, const whorl::Phantom& object, Index size) {
  whorl::Scan scan;
  scan.matrix = {size, size, 1};
  scan.trajectory_kind = "radial";
  scan.frames.emplace_back().trajectory = std::make_shared<whorl::Trajectory>(
      whorl::radial_trajectory(ctx, 2 * size, 2 * size, whorl::SpokeOrder::uniform));
  const whorl::Scan measured =
      with_true_maps(ctx, whorl::phantom_scan(ctx, object, std::move(scan), {.coils = settings.coils}));
  whorl::ReconOptions options = known_maps(settings);
  options.cg_sense.iterations = 50;
  options.cg_sense.lambda = 1e-6;
  Array<float> image = whorl::magnitude<float>(ctx, whorl::reconstruct(ctx, measured, options).images);
  image.reshape({1, size, size});
  return image;
}

whorl::ReconOptions known_maps(const Settings& settings) {
  whorl::ReconOptions options;
  options.prewhiten = false;
  options.coil_maps = whorl::CoilMapMethod::file;
  options.cg_sense.iterations = settings.iterations;
  options.mask = whorl::ImageMask::none;
  return options;
}

Result best_of(const Context& ctx, const std::string& object, const Candidates& candidates,
               const whorl::ReconOptions& options, const Array<float>& truth, const Reconstruct& reconstruct) {
  Result best{{object, "", std::numeric_limits<double>::infinity()}, {}};
  whorl::ReconOptions best_options;
  for (const double weight : candidates.weights) {
    whorl::ReconOptions with = options;
    Row row{object, fmt::format("least squares, lambda {:g}", weight)};
    with.cg_sense.lambda = weight;
    if (!candidates.regularizer.empty()) {
      row.method = fmt::format(fmt::runtime(candidates.regularizer), weight);
      with.cg_sense.lambda = 0;
      with.regularized.terms = {whorl::parse_regularizer(row.method)};
    }
    Array<float> magnitude = whorl::magnitude<float>(ctx, reconstruct(with, row));
    row.error = whorl::scaled_error<float>(ctx, magnitude, truth).nrmse;
    if (row.error < best.row.error) {
      best = {std::move(row), std::move(magnitude)};
      best_options = with;
    }
  }
  // A device that has just been started is slower.
  Row again;
  const auto start = std::chrono::steady_clock::now();
  reconstruct(best_options, again);
  best.row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return best;
}

Reconstruct of_scan(const Context& ctx, const whorl::Scan& scan) {
  return [&ctx, &scan](const whorl::ReconOptions& options, Row& row) {
    whorl::Reconstruction result = whorl::reconstruct(ctx, scan, options);
    for (const whorl::SolverReport& report : result.reports)
      row.iterations = std::max(row.iterations, report.iterations);
    return std::move(result.images);
  };
}

whorl::Picture panel(const Context& ctx, const std::string& caption, ArrayRef<const float> image, double high,
                     Index zoom) {
  return whorl::with_caption(
      whorl::montage_picture(ctx, image, {.window = whorl::DisplayWindow{0, high}, .zoom = zoom}), {caption});
}

std::string caption_of(const Result& result) {
  // Captions are wrapped at blanks.
  std::string method;
  for (const char c : result.row.method) {
    if (c != ' ' || !method.ends_with(' ')) method += c;
    if (c == ':' || c == ',') method += ' ';
  }
  return fmt::format("{}; error {:.1f} %", method, 100 * result.row.error);
}

std::string table_of(const std::vector<std::string>& devices, const std::vector<std::vector<Row>>& rows) {
  std::string text = "| object | method | iterations |";
  std::string line = "|---|---|---|";
  for (const std::string& device : devices) {
    text += fmt::format(" error, {} | s |", device);
    line += "---|---|";
  }
  text += " |\n" + line + "---|\n";
  for (std::size_t i = 0; i < rows.front().size(); ++i) {
    const Row& first = rows.front()[i];
    text += fmt::format("| {} | {} | {} |", first.object, first.method, first.iterations);
    for (const std::vector<Row>& of_device : rows) {
      const Row& row = of_device.at(i);
      const std::string other = row.method == first.method ? "" : fmt::format(" ({})", row.method);
      text += fmt::format(" {:.2f} %{} | {:.2g} |", 100 * row.error, other, row.seconds);
    }
    text += fmt::format(" {} |\n", first.other);
  }
  return text;
}

}  // namespace regularized
