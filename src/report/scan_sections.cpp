#include "report/scan_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "report/chart.hpp"
#include "report/html.hpp"
#include "whorl/core/error.hpp"
#include "whorl/density/density_quality.hpp"
#include "whorl/density/density_weights.hpp"
#include "whorl/doctor/examine.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl::report {

namespace {

// Larger trajectories take minutes for their weights, and are not drawn finer for it.
constexpr Index most_samples = 3'000'000;
constexpr Index most_dots = 3000;

// Samples to draw: all, or some by the golden ratio, which has no period in common with readouts.
std::vector<Index> dots_of(Index samples) {
  std::vector<Index> dots(static_cast<std::size_t>(std::min(samples, most_dots)));
  for (std::size_t i = 0; i < dots.size(); ++i) {
    const double turns = static_cast<double>(i) / std::numbers::phi;
    dots[i] = samples <= most_dots ? static_cast<Index>(i)
                                   : static_cast<Index>((turns - std::floor(turns)) * static_cast<double>(samples));
  }
  return dots;
}

// Positions along two axes: x 0, y 1, z 2.
Chart path_of_trajectory(const Trajectory& trajectory, std::size_t across, std::size_t up) {
  constexpr std::array names{"kx (cycles per pixel)", "ky (cycles per pixel)", "kz (cycles per pixel)"};
  Chart drawn{.title = fmt::format("Samples along {} and {}", std::string_view(names[across]).substr(0, 2),
                                   std::string_view(names[up]).substr(0, 2)),
              .x_label = names[across],
              .y_label = names[up],
              .dots = true,
              .equal_aspect = true,
              .lines = {{}}};
  const auto points = trajectory.points.view<2>();
  for (const Index i : dots_of(points.extent(0))) {
    drawn.lines[0].push_back({points(i, static_cast<Index>(across)), points(i, static_cast<Index>(up))});
  }
  return drawn;
}

Chart weights_over_radius(const Trajectory& trajectory, const Array<float>& weights) {
  Chart drawn{.title = "Density weights over the distance from the center",
              .x_label = "|k| (cycles per pixel)",
              .y_label = "weight (mean 1)",
              .dots = true,
              .lines = {{}}};
  const auto points = trajectory.points.view<2>();
  for (const Index i : dots_of(points.extent(0))) {
    double square = 0;
    for (Index axis = 0; axis < points.extent(1); ++axis) square += points(i, axis) * points(i, axis);
    drawn.lines[0].push_back({std::sqrt(square), weights.data()[i]});
  }
  return drawn;
}

// |A^H w| in decibels of its largest value, [1, z, y, x].
Array<float> point_spread_of(const Context& ctx, const Trajectory& trajectory, const Array<float>& weights,
                             const Shape& image) {
  const Nufft<float> nufft(ctx, trajectory.points, image, 1);
  Array<std::complex<float>> data(ctx, nufft.range());
  std::copy(weights.span().begin(), weights.span().end(), data.span().begin());
  Array<std::complex<float>> response(ctx, nufft.domain());
  nufft.adjoint(ctx, data, response);
  float largest = 0;
  for (const auto value : response.span()) largest = std::max(largest, std::abs(value));
  Array<float> decibels(ctx, {1, image.rank() == 3 ? image[0] : 1, image[-2], image[-1]});
  constexpr float floor = 1e-4F;  // -80 dB
  std::transform(response.span().begin(), response.span().end(), decibels.span().begin(),
                 [&](std::complex<float> value) {
                   return 20 * std::log10(std::max(floor, largest > 0 ? std::abs(value) / largest : floor));
                 });
  return decibels;
}

// Edges of a voxel in millimeters, or 1 where the field of view is not known.
std::array<double, 3> edges_of(const Scan& scan) {
  std::array<double, 3> edges{1, 1, 1};
  const auto& view = scan.frames.front().geometry.field_of_view_mm;
  if (std::any_of(view.begin(), view.end(), [](double length) { return !(length > 0); })) return edges;
  for (std::size_t axis = 0; axis < 3; ++axis) edges[axis] = view[axis] / static_cast<double>(scan.matrix[axis]);
  return edges;
}

std::string weights_markup(const Context& ctx, const Scan& scan, Views& views) {
  const Trajectory& trajectory = *scan.frames.front().trajectory;
  const Shape image =
      scan.dim() == 3 ? Shape{scan.matrix[2], scan.matrix[1], scan.matrix[0]} : Shape{scan.matrix[1], scan.matrix[0]};
  const DensityWeights<float> density =
      density_weights<float>(ctx, trajectory, image, scan.frames.front().weights.get(), DensityMethod::automatic);
  const DensityQuality quality = density_quality<float>(ctx, trajectory.points, density.weights.ref(), image);
  std::string markup = paragraph(fmt::format(
      "Density weights: {}. The point spread of gridding has a main lobe {:.3f} pixels wide and side lobes of "
      "{:.1f} dB at most, farther than {} pixels from the peak.",
      density.origin, quality.response.width, quality.side_lobe_db(), main_lobe_radius));
  markup += "<div class=\"pair\">" + chart(weights_over_radius(trajectory, density.weights)) +
            views.add(ctx, point_spread_of(ctx, trajectory, density.weights, image),
                      {.title = "Point spread of gridding",
                       .unit = "dB",
                       .window = {-60, 0},
                       .edges = edges_of(scan),
                       .through = Voxel{scan.matrix[0] / 2, scan.matrix[1] / 2, scan.matrix[2] / 2}}) +
            "</div>\n";
  return markup;
}

}  // namespace

std::string sampling_section(const Context& ctx, const Scan& scan, Views& views) {
  if (scan.frames.empty() || !scan.frames.front().trajectory) return {};
  const Trajectory& trajectory = *scan.frames.front().trajectory;
  std::string markup = paragraph(fmt::format(
      "{} of a {}D {} trajectory; the first has {} samples{}. Matrix {} x {} x {}. Coils: {}.",
      counted(scan.frames.size(), "frame"), scan.dim(), scan.trajectory_kind, trajectory.samples(),
      trajectory.readout_length > 0 ? fmt::format(" in {} readouts", trajectory.samples() / trajectory.readout_length)
                                    : "",
      scan.matrix[0], scan.matrix[1], scan.matrix[2], scan.coils));
  markup += "<div class=\"pair\">" + chart(path_of_trajectory(trajectory, 0, 1));
  if (trajectory.dim() == 3) markup += chart(path_of_trajectory(trajectory, 0, 2));
  markup += "</div>\n";
  if (trajectory.samples() > most_samples) {
    markup +=
        paragraph(fmt::format("Density weights and point spread are left out for more than {} samples: whorl "
                              "density computes them.",
                              most_samples));
  } else {
    try {
      markup += weights_markup(ctx, scan, views);
    } catch (const ValueError& error) {
      markup += paragraph(fmt::format("No density weights: {}.", error.what()));
    }
  }
  return section("sampling", "Sampling", markup);
}

std::string findings_section(const Context& ctx, const Scan& scan) {
  if (scan.coils == 0) return {};
  const Diagnosis diagnosis = examine(ctx, scan);
  std::string markup;
  for (const Finding& finding : diagnosis.findings) {
    markup += fmt::format("<div{}><p>{}: {}</p>\n{}</div>\n", finding.is_fault ? " class=\"fault\"" : "",
                          finding.is_fault ? "Fault" : "Note", escaped(finding.what), paragraph(finding.remedy));
  }
  if (markup.empty()) markup = paragraph("Nothing is wrong with the scan, as far as its data say.");
  if (!diagnosis.undecided.empty()) {
    markup += paragraph("What the data could not tell:") + list(diagnosis.undecided);
  }
  return section("findings", "The scan's health", markup);
}

}  // namespace whorl::report
