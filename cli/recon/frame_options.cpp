#include "cli/recon/frame_options.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/output/file_name.hpp"
#include "whorl/io/array_files.hpp"

namespace whorl::cli {

namespace {

const OptionTable<MovieRequest>& movie_table() {
  static const OptionTable<MovieRequest> table =
      OptionTable<MovieRequest>("movie")
          .real("fps", &MovieRequest::frames_per_second, {0.01, 100}, "frames a second", "How fast the movie runs")
          .when("--movie", [](const MovieRequest& request) { return !request.path.empty(); });
  return table;
}

MovieOptions options_of(const MovieRequest& request) {
  MovieOptions options{.zoom = 0, .frames_per_second = request.frames_per_second};
  if (!request.window.empty()) {
    options.low = request.window[0];
    options.high = request.window[1];
  }
  return options;
}

}  // namespace

Array<double> signal_columns(const Context& ctx, const GatedScan& gated) {
  std::size_t readouts = 0;
  for (const GatingSignal& signal : gated.signals) readouts = std::max(readouts, signal.values.size());
  constexpr Index columns = 4;
  Array<double> table(ctx, {static_cast<Index>(gated.signals.size()), static_cast<Index>(readouts), columns});
  std::fill(table.span().begin(), table.span().end(), -1.0);
  for (std::size_t s = 0; s < gated.signals.size(); ++s) {
    double* row = table.slice(static_cast<Index>(s)).data();
    for (std::size_t i = 0; i < gated.signals[s].values.size(); ++i) {
      *row++ = 1e-3 * gated.scan.readout_interval_ms * static_cast<double>(i);
      *row++ = gated.signals[s].values[i];
      *row++ = gated.signals[s].phases[i];
      *row++ = gated.bins[s][i];
    }
  }
  return table;
}

void add_frame_options(App& app, FrameRequest& request) {
  add_options(app, request.frames);
  app.get_option("--gate")->excludes("--spokes-per-frame");
  app.add_output("--gate-signal", request.signal, array_output(),
                 "Write the gating signal [slice, readout, column]: time in seconds, value, phase in radians and frame")
      ->group("Frames")
      ->when("--gate", [&request] { return request.frames.gating.bins > 0; });
  app.add_input(
         "--gate-weights", request.weights,
         "How much each readout (or sample) counts in least squares: the inverse variance of its noise, numbers of "
         "this array file (or FILE:NAME) in the order of the frames that are reconstructed (docs/howto/motion.md)")
      ->group("Frames")
      ->excludes("--soft-gate");
  app.get_option("--soft-gate")->excludes("--gate");
}

std::shared_ptr<const SampleWeights> sample_weights(const Context& ctx, const FrameRequest& request, Scan& scan) {
  if (scan.sample_weights.size() > 0) return weigh_samples(ctx, scan, clone(ctx, scan.sample_weights));
  if (request.weights.empty()) return nullptr;
  return weigh_samples(ctx, scan, converted<double>(ctx, read_array(ctx, request.weights).values, request.weights));
}

void add_movie_options(App& app, MovieRequest& request) {
  app.add_output(
      "--movie", request.path, output_ending_in({".gif", ".png"}, "a movie's name"),
      "Also write the magnitude of all frames as a movie, enlarged to 512 pixels or more: " + movie_extensions());
  add_options(app, request, movie_table());
}

void check_movie(const MovieRequest& request, const Shape& images) {
  if (!request.path.empty()) whorl::check_movie(request.path, images, options_of(request));
}

void write_movie(const Context& ctx, const MovieRequest& request, ArrayRef<const std::complex<float>> images,
                 std::vector<std::filesystem::path>& written) {
  if (request.path.empty()) return;
  Array<float> magnitude(ctx, images.shape());
  std::transform(images.span().begin(), images.span().end(), magnitude.span().begin(),
                 [](std::complex<float> value) { return std::abs(value); });
  whorl::write_movie(ctx, request.path, magnitude, options_of(request));
  written.emplace_back(request.path);
}

Parameters describe(const FrameRequest& request) { return parameters_of(request.frames); }

}  // namespace whorl::cli
