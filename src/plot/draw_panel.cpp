#include "plot/draw_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/ticks.hpp"

namespace whorl::detail {

namespace {

using Range = std::array<double, 2>;

constexpr double text_size = 13;
constexpr double title_size = 14;

// The coordinate of a value along an axis: the value or its decimal logarithm.
double place_of(AxisScale scale, double value) { return scale == AxisScale::linear ? value : std::log10(value); }

// The range of the points along an axis, in these coordinates, with a margin of 4 % on either side.
Range range_of(const Panel& panel, std::vector<double> Series::*axis, AxisScale scale) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Series& series : panel.series) {
    for (const double value : series.*axis) {
      if (std::isnan(value)) continue;
      low = std::min(low, place_of(scale, value));
      high = std::max(high, place_of(scale, value));
    }
  }
  if (low > high) return {0, 1};
  const double flat = std::max(std::abs(low), std::abs(high)) * 1e-9;
  const double margin = high - low > flat ? 0.04 * (high - low) : std::max(0.5 * std::abs(low), 0.5);
  return {low - margin, high + margin};
}

Range given_or_found(const Panel& panel, const std::optional<Range>& given, std::vector<double> Series::*axis,
                     AxisScale scale) {
  if (!given) return range_of(panel, axis, scale);
  return {place_of(scale, given->front()), place_of(scale, given->back())};
}

void widen(Range& range, double extent) {
  const double more = std::max(0.0, extent - (range[1] - range[0])) / 2;
  range = {range[0] - more, range[1] + more};
}

// Maps the points of a panel to the picture.
struct Axes {
  double left;
  double top;
  double width;
  double height;
  AxisScale x_scale;
  AxisScale y_scale;
  Range x;  // as places
  Range y;

  double at_x(double value) const { return left + width * (place_of(x_scale, value) - x[0]) / (x[1] - x[0]); }
  double at_y(double value) const { return top + height * (y[1] - place_of(y_scale, value)) / (y[1] - y[0]); }
  std::array<double, 4> frame() const { return {left, top, width, height}; }
};

Axes make_axes(const Panel& panel, const std::array<double, 4>& place) {
  constexpr double left = 74;
  constexpr double right = 18;
  constexpr double top = 34;
  constexpr double bottom = 52;
  Axes axes{place[0] + left,
            place[1] + top,
            place[2] - left - right,
            place[3] - top - bottom,
            panel.x_scale,
            panel.y_scale,
            given_or_found(panel, panel.x_range, &Series::x, panel.x_scale),
            given_or_found(panel, panel.y_range, &Series::y, panel.y_scale)};
  if (panel.equal_aspect) {
    const double per_pixel = std::max((axes.x[1] - axes.x[0]) / axes.width, (axes.y[1] - axes.y[0]) / axes.height);
    widen(axes.x, per_pixel * axes.width);
    widen(axes.y, per_pixel * axes.height);
  }
  return axes;
}

std::vector<Tick> ticks_of(AxisScale scale, const Range& places, int most) {
  if (scale == AxisScale::linear) return make_ticks(places, most);
  return make_logarithmic_ticks({std::pow(10, places[0]), std::pow(10, places[1])}, most);
}

void draw_ticks(Canvas& canvas, const Axes& axes) {
  constexpr double tick = 5;
  constexpr int most = 7;
  for (const Tick& mark : ticks_of(axes.x_scale, axes.x, most)) {
    const double x = axes.at_x(mark.value);
    canvas.set_color(PlotColor::gray, 0.4);
    canvas.line(x, axes.top, x, axes.top + axes.height, 1);
    canvas.set_color(PlotColor::black);
    canvas.line(x, axes.top + axes.height, x, axes.top + axes.height + tick, 1);
    canvas.text(mark.text, x, axes.top + axes.height + tick + 10, text_size, TextAnchor::center);
  }
  for (const Tick& mark : ticks_of(axes.y_scale, axes.y, most)) {
    const double y = axes.at_y(mark.value);
    canvas.set_color(PlotColor::gray, 0.4);
    canvas.line(axes.left, y, axes.left + axes.width, y, 1);
    canvas.set_color(PlotColor::black);
    canvas.line(axes.left - tick, y, axes.left, y, 1);
    canvas.text(mark.text, axes.left - tick - 4, y, text_size, TextAnchor::right);
  }
}

void draw_labels(Canvas& canvas, const Panel& panel, const Axes& axes, const std::array<double, 4>& place) {
  canvas.set_color(PlotColor::black);
  const double middle = axes.left + axes.width / 2;
  canvas.text(panel.title, middle, place[1] + 18, title_size, TextAnchor::center);
  canvas.text(panel.x_label, middle, axes.top + axes.height + 38, text_size, TextAnchor::center);
  canvas.text(panel.y_label, place[0] + 14, axes.top + axes.height / 2, text_size, TextAnchor::center, true);
}

// Points along a series: those of its dots, or of its line every few pixels.
std::vector<std::array<double, 2>> inked_points(const Series& series, const Axes& axes) {
  constexpr double step = 10;
  std::vector<std::array<double, 2>> points;
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    const std::array<double, 2> here{axes.at_x(series.x[i]), axes.at_y(series.y[i])};
    const bool joined = series.style == SeriesStyle::line && !points.empty();
    const std::array<double, 2> last = joined ? points.back() : here;
    const double length = std::hypot(here[0] - last[0], here[1] - last[1]);
    // A line over points that are not drawn (NaN) has no length, and none needs more points than a picture has pixels.
    const int between = std::isfinite(length) ? static_cast<int>(std::min(length / step, 1e4)) : 0;
    for (int k = 1; k <= between; ++k) {
      const double part = static_cast<double>(k) / (between + 1);
      points.push_back({last[0] + part * (here[0] - last[0]), last[1] + part * (here[1] - last[1])});
    }
    points.push_back(here);
  }
  return points;
}

// The corner where a box covers the least of dots and lines.
std::array<double, 4> free_corner(const Panel& panel, const Axes& axes, double width, double height) {
  constexpr double margin = 8;
  const double right = axes.left + axes.width - width - margin;
  const double bottom = axes.top + axes.height - height - margin;
  std::array<double, 4> best{};
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  for (const double y : {axes.top + margin, bottom}) {
    for (const double x : {right, axes.left + margin}) {
      std::size_t inside = 0;
      for (const Series& series : panel.series) {
        for (const std::array<double, 2>& point : inked_points(series, axes)) {
          const double across = point[0] - x;
          const double down = point[1] - y;
          if (across > 0 && across < width && down > 0 && down < height) ++inside;
        }
      }
      if (inside >= fewest) continue;
      fewest = inside;
      best = {x, y, width, height};
    }
  }
  return best;
}

void draw_legend(Canvas& canvas, const Panel& panel, const Axes& axes) {
  constexpr double row = 18;
  constexpr double sample = 22;
  double widest = 0;
  int rows = 0;
  for (const Series& series : panel.series) {
    if (series.label.empty()) continue;
    widest = std::max(widest, canvas.text_width(series.label, text_size));
    ++rows;
  }
  if (rows == 0) return;
  const std::array<double, 4> box = free_corner(panel, axes, widest + sample + 14, rows * row + 6);
  canvas.set_white(0.85);
  canvas.rectangle(box, true);
  canvas.set_color(PlotColor::gray);
  canvas.rectangle(box, false);
  double y = box[1] + 3 + row / 2;
  for (const Series& series : panel.series) {
    if (series.label.empty()) continue;
    canvas.set_color(series.color);
    if (series.style == SeriesStyle::line) {
      canvas.line(box[0] + 4, y, box[0] + sample, y, std::max(2.0, series.size));
    } else {
      canvas.dots({{box[0] + 2 + sample / 2, y}}, std::max(5.0, series.size));
    }
    canvas.set_color(PlotColor::black);
    canvas.text(series.label, box[0] + sample + 8, y, text_size, TextAnchor::left);
    y += row;
  }
}

}  // namespace

void draw_panel(const Context& ctx, Canvas& canvas, const Panel& panel,
                const std::array<double, 4>& left_top_width_height) {
  const Axes axes = make_axes(panel, left_top_width_height);
  draw_ticks(canvas, axes);
  canvas.begin_clip(axes.frame());
  for (const Series& series : panel.series) {
    ctx.check_cancel("drawing a figure");
    std::vector<std::array<double, 2>> points;
    points.reserve(series.x.size());
    for (std::size_t i = 0; i < series.x.size(); ++i) {
      points.push_back({axes.at_x(series.x[i]), axes.at_y(series.y[i])});
    }
    canvas.set_color(series.color);
    if (series.style == SeriesStyle::line) {
      canvas.path(points, series.size);
    } else {
      canvas.dots(points, series.size);
    }
  }
  canvas.end_clip();
  canvas.set_color(PlotColor::black);
  canvas.rectangle(axes.frame(), false);
  draw_labels(canvas, panel, axes, left_top_width_height);
  draw_legend(canvas, panel, axes);
}

}  // namespace whorl::detail
