#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "plot/ticks.hpp"
#include "report/html.hpp"

namespace whorl::report {

namespace {

constexpr double width = 460;
constexpr double height = 300;
constexpr double left = 64;
constexpr double right = 14;
constexpr double top = 12;
constexpr double bottom = 46;

using Point = std::array<double, 2>;

// Values on an axis as they are drawn: logarithms on a logarithmic one. NaN: not drawn.
double placed(double value, bool is_log) {
  if (!is_log) return value;
  return value > 0 ? std::log10(value) : std::nan("");
}

struct Axis {
  double low = 0;
  double high = 1;
  bool is_log = false;

  double part(double value) const { return (placed(value, is_log) - low) / (high - low); }
};

Axis axis_of(const Chart& chart, std::size_t which) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Axis axis{infinity, -infinity, which == 0 ? chart.log_x : chart.log_y};
  for (const auto& line : chart.lines) {
    for (const Point& point : line) {
      const double value = placed(point[which], axis.is_log);
      if (!std::isfinite(value)) continue;
      axis.low = std::min(axis.low, value);
      axis.high = std::max(axis.high, value);
    }
  }
  const double margin = axis.high > axis.low ? 0.04 * (axis.high - axis.low) : 0.5;
  axis.low -= margin;
  axis.high += margin;
  return axis;
}

void widen(Axis& axis, double extent) {
  const double more = (extent - (axis.high - axis.low)) / 2;
  axis.low -= more;
  axis.high += more;
}

std::vector<detail::Tick> ticks_of(const Axis& axis) {
  constexpr int most = 6;
  if (!axis.is_log) return detail::make_ticks({axis.low, axis.high}, most);
  return detail::make_logarithmic_ticks({std::pow(10, axis.low), std::pow(10, axis.high)}, most);
}

double x_of(const Axis& axis, double value) { return left + axis.part(value) * (width - left - right); }
double y_of(const Axis& axis, double value) { return height - bottom - axis.part(value) * (height - top - bottom); }

std::string path_of(const std::vector<Point>& points, const Axis& x, const Axis& y, bool dots) {
  std::string path;
  bool is_down = false;
  for (const Point& point : points) {
    const double across = x_of(x, point[0]);
    const double down = y_of(y, point[1]);
    const bool is_there = std::isfinite(across) && std::isfinite(down);
    if (is_there)
      path += fmt::format("{}{:.1f} {:.1f}{}", is_down && !dots ? "L" : "M", across, down, dots ? "h0" : "");
    is_down = is_there;
  }
  return path;
}

std::string grid_of(const Axis& x, const Axis& y) {
  std::string grid;
  for (const detail::Tick& tick : ticks_of(x)) {
    const double at = x_of(x, tick.value);
    if (at < left || at > width - right) continue;
    grid += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" y=\"{3}\" "
        "text-anchor=\"middle\">{4}</text>",
        at, top, height - bottom, height - bottom + 16, escaped(tick.text));
  }
  for (const detail::Tick& tick : ticks_of(y)) {
    const double at = y_of(y, tick.value);
    if (at < top || at > height - bottom) continue;
    grid += fmt::format(
        "<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>",
        left, at, width - right, left - 6, at + 4, escaped(tick.text));
  }
  return grid;
}

}  // namespace

std::string chart(const Chart& chart) {
  Axis x = axis_of(chart, 0);
  Axis y = axis_of(chart, 1);
  if (!std::isfinite(x.low) || !std::isfinite(y.low)) return paragraph(chart.title + ": there are no values.");
  if (chart.equal_aspect) {
    const double per_pixel =
        std::max((x.high - x.low) / (width - left - right), (y.high - y.low) / (height - top - bottom));
    widen(x, per_pixel * (width - left - right));
    widen(y, per_pixel * (height - top - bottom));
  }
  std::string svg = fmt::format(
      "<figure><figcaption>{0}</figcaption><svg role=\"img\" aria-label=\"{0}\" "
      "viewBox=\"0 0 {1} {2}\">",
      escaped(chart.title), width, height);
  svg += grid_of(x, y);
  svg += fmt::format(R"(<path class="axis" d="M{} {}V{}H{}"/>)", left, top, height - bottom, width - right);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    svg += fmt::format(R"(<path class="{} c{}" d="{}"/>)", chart.dots ? "dots" : "line", std::min<std::size_t>(i, 7),
                       path_of(chart.lines[i], x, y, chart.dots));
  }
  svg += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">{}</text>)", (left + width - right) / 2, height - 8,
                     escaped(chart.x_label));
  svg += fmt::format("<text transform=\"translate(14 {}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
                     (top + height - bottom) / 2, escaped(chart.y_label));
  return svg + "</svg></figure>\n";
}

std::string bars(const std::string& title, const std::vector<std::pair<std::string, double>>& values,
                 const std::string& unit) {
  double most = 0;
  for (const auto& [name, value] : values) most = std::max(most, value);
  std::string markup = fmt::format("<table class=\"bars\"><caption>{}</caption><tbody>\n", escaped(title));
  for (const auto& [name, value] : values) {
    markup += fmt::format(
        "<tr><th scope=\"row\">{}</th><td><span class=\"bar\" style=\"width:{:.1f}%\"></span>"
        "<span>{:.3g} {}</span></td></tr>\n",
        escaped(name), most > 0 ? 60 * std::max(0.0, value) / most : 0.0, value, escaped(unit));
  }
  return markup + "</tbody></table>\n";
}

}  // namespace whorl::report
