// The picture of a trajectory.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/traj/traj.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/plot/figure.hpp"

namespace whorl::cli {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::array<double, 2> k_range{-0.54, 0.54};
constexpr std::array<PlotColor, 3> axis_colors{PlotColor::blue, PlotColor::vermillion, PlotColor::green};

std::string k_label(Index axis) { return fmt::format("k{} (cycles per pixel)", "xyz"[axis]); }

Panel k_panel(std::string title, Index across, Index up) {
  Panel panel;
  panel.title = std::move(title);
  panel.x_label = k_label(across);
  panel.y_label = k_label(up);
  panel.equal_aspect = true;
  panel.x_range = panel.y_range = k_range;
  return panel;
}

// A step over the readouts that leaves no more points than a picture can show.
Index readout_stride(const Trajectory& trajectory) {
  constexpr Index most_points = 60000;
  return std::max<Index>(1, divide_up(trajectory.samples(), most_points));
}

// Readouts as lines, the first one on top of the others.
Panel path_panel(const Trajectory& trajectory, Index across, Index up) {
  const auto k = trajectory.points.view<2>();
  const Index length = trajectory.readout_length;
  const Index readouts = trajectory.samples() / length;
  const Index stride = readout_stride(trajectory);
  Panel panel = k_panel(stride > 1 ? fmt::format("1 in {} readouts", stride) : "all readouts", across, up);
  Series all{.color = PlotColor::sky, .size = 0.8};
  Series first{.color = PlotColor::vermillion, .size = 1.8, .label = "first readout"};
  for (Index readout = 0; readout < readouts; readout += stride) {
    for (Index i = readout * length; i < (readout + 1) * length; ++i) {
      all.x.push_back(k(i, across));
      all.y.push_back(k(i, up));
    }
    all.x.push_back(nan);
    all.y.push_back(nan);
  }
  for (Index i = 0; i < length; ++i) {
    first.x.push_back(k(i, across));
    first.y.push_back(k(i, up));
  }
  panel.series = {all, first};
  return panel;
}

// One sample of every readout as a dot, those for which `shown` holds.
template <class Shown>
Panel dots_panel(const Trajectory& trajectory, const std::string& title, Index at, std::array<Index, 2> axes,
                 const Shown& shown) {
  const auto k = trajectory.points.view<2>();
  const Index length = std::max<Index>(1, trajectory.readout_length);
  Panel panel = k_panel(title, axes[0], axes[1]);
  Series dots{.style = SeriesStyle::dots, .size = trajectory.samples() / length > 4000 ? 1.6 : 3};
  for (Index i = at; i < trajectory.samples(); i += length) {
    if (!shown(i)) continue;
    dots.x.push_back(k(i, axes[0]));
    dots.y.push_back(k(i, axes[1]));
  }
  panel.series = {dots};
  return panel;
}

std::vector<Panel> k_panels(const MadeTrajectory& made) {
  const Trajectory& trajectory = made.trajectory;
  const auto always = [](Index) { return true; };
  const bool volume = trajectory.dim() == 3;
  if (made.kind == "cartesian" && volume) {
    return {dots_panel(trajectory, "lines", 0, {1, 2}, always)};
  }
  if (trajectory.readout_length == 0) {
    std::vector<Panel> panels{dots_panel(trajectory, "samples", 0, {0, 1}, always)};
    if (volume) panels.push_back(dots_panel(trajectory, "samples", 0, {0, 2}, always));
    return panels;
  }
  std::vector<Panel> panels{path_panel(trajectory, 0, 1)};
  if (!volume) return panels;
  panels.push_back(path_panel(trajectory, 0, 2));
  const auto k = trajectory.points.view<2>();
  panels.push_back(dots_panel(trajectory, "ends of the readouts, kz >= 0", trajectory.readout_length - 1, {0, 1},
                              [&](Index i) { return k(i, 2) >= 0; }));
  return panels;
}

Panel time_panel(const MadeTrajectory& made) {
  Panel panel;
  panel.title = "first readout";
  panel.x_label = made.dwell_us > 0 ? "time (ms)" : "sample";
  panel.y_label = "k (cycles per pixel)";
  panel.y_range = k_range;
  const auto k = made.trajectory.points.view<2>();
  const double step = made.dwell_us > 0 ? made.dwell_us / 1000 : 1;
  for (Index axis = 0; axis < k.extent(1); ++axis) {
    Series series{.color = axis_colors[static_cast<std::size_t>(axis)], .label = fmt::format("k{}", "xyz"[axis])};
    for (Index i = 0; i < made.trajectory.readout_length; ++i) {
      series.x.push_back(static_cast<double>(i) * step);
      series.y.push_back(k(i, axis));
    }
    panel.series.push_back(std::move(series));
  }
  return panel;
}

std::vector<Panel> gradient_panels(const Context& ctx, const Gradients& gradients) {
  const auto g = gradients.mt_per_m.view<3>();
  const Array<double> slew = slew_rates(ctx, gradients);
  Panel amplitude{.title = "gradient", .x_label = "time (ms)", .y_label = "mT/m"};
  Panel rate{.title = "slew rate", .x_label = "time (ms)", .y_label = "T/m/s"};
  Series size{.color = PlotColor::black, .label = "|g|"};
  Series steepness{.color = PlotColor::black};
  std::vector<Series> components;
  for (Index axis = 0; axis < g.extent(2); ++axis) {
    components.push_back({.color = axis_colors[static_cast<std::size_t>(axis)],
                          .label = g.extent(2) > 1 ? fmt::format("g{}", "xyz"[axis]) : "along the readout"});
  }
  for (Index i = 0; i < g.extent(1); ++i) {
    const double time = (static_cast<double>(i) + 0.5) * gradients.raster_us / 1000;
    double square = 0;
    for (Index axis = 0; axis < g.extent(2); ++axis) {
      const double value = g(0, i, axis);
      components[static_cast<std::size_t>(axis)].x.push_back(time);
      components[static_cast<std::size_t>(axis)].y.push_back(value);
      square += value * value;
    }
    size.x.push_back(time);
    size.y.push_back(std::sqrt(square));
    steepness.x.push_back(time);
    steepness.y.push_back(slew.view<2>()(0, i));
  }
  amplitude.series = std::move(components);
  amplitude.series.push_back(std::move(size));
  const double steepest = *std::max_element(steepness.y.begin(), steepness.y.end());
  if (steepest > 0) rate.y_range = {{0, 1.05 * steepest}};
  rate.series = {std::move(steepness)};
  return {std::move(amplitude), std::move(rate)};
}

}  // namespace

void plot_trajectory(const Context& ctx, const MadeTrajectory& made, const std::string& title,
                     const std::string& path) {
  Figure figure{.title = title, .panels = k_panels(made)};
  if (made.trajectory.readout_length > 0) figure.panels.push_back(time_panel(made));
  if (made.gradients) {
    for (Panel& panel : gradient_panels(ctx, *made.gradients)) figure.panels.push_back(std::move(panel));
  }
  figure.columns = figure.panels.size() > 4 ? 3 : 2;
  write_figure(ctx, path, figure);
}

}  // namespace whorl::cli
