#include "whorl/plot/bar_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/canvas.hpp"
#include "plot/ticks.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using detail::Canvas;
using detail::TextAnchor;

constexpr double text_size = 13;
constexpr double title_size = 16;
constexpr int bar_pitch = 26;
constexpr double bar_height = 17;
constexpr int chart_title_height = 34;
constexpr int axis_height = 48;
constexpr double gap = 8;
constexpr int least_width = 400;
constexpr int most_width = 16384;

void check(const BarChart& chart) {
  if (chart.bars.empty()) throw ValueError("bar chart: no bar, expected at least 1");
  if (chart.width < least_width || chart.width > most_width) {
    throw ValueError(fmt::format("bar chart: {} pixels wide, expected {} to {}", chart.width, least_width, most_width));
  }
  for (const Bar& bar : chart.bars) {
    const bool positive = chart.scale == AxisScale::logarithmic ? bar.value > 0 : bar.value >= 0;
    if (std::isnan(bar.value) || (positive && std::isfinite(bar.value))) continue;
    throw ValueError(fmt::format("bar chart: '{}' is {}, expected a finite value {}", bar.name, bar.value,
                                 chart.scale == AxisScale::logarithmic ? "above 0" : "of 0 or more"));
  }
}

std::array<double, 2> range_of(const BarChart& chart) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Bar& bar : chart.bars) {
    if (std::isnan(bar.value)) continue;
    low = std::min(low, bar.value);
    high = std::max(high, bar.value);
  }
  if (high == 0) return {0, 1};
  constexpr double room = 1.05;
  if (chart.scale == AxisScale::linear) return {0, room * high};
  // A power of ten below the least, so that its bar is visible.
  constexpr double seen = 0.8;
  return {std::pow(10, std::floor(std::log10(seen * low))), high * room};
}

// The positions of the bars, and the range of values.
struct Field {
  double left;
  double width;
  std::array<double, 2> range;
  AxisScale scale;

  double at(double value) const {
    if (scale == AxisScale::linear) return left + width * value / range[1];
    return left + width * std::log(value / range[0]) / std::log(range[1] / range[0]);
  }
};

Field field_of(Canvas& canvas, const BarChart& chart) {
  double names = 0;
  double words = 0;
  for (const Bar& bar : chart.bars) {
    names = std::max(names, canvas.text_width(bar.name, text_size));
    words = std::max(words, canvas.text_width(bar.words, text_size));
  }
  const double left = names + 2 * gap;
  const double width = chart.width - left - words - 3 * gap;
  constexpr double least = 100;
  if (width < least) {
    throw ValueError(
        fmt::format("bar chart: {} pixels leave {:.0f} for the bars beside their names and words; expected "
                    "{} or more, make it wider",
                    chart.width, width, least));
  }
  return {left, width, range_of(chart), chart.scale};
}

void draw_axis(Canvas& canvas, const BarChart& chart, const Field& field, double top, double bottom) {
  constexpr int most_ticks = 6;
  const auto ticks = chart.scale == AxisScale::linear ? detail::make_ticks(field.range, most_ticks)
                                                      : detail::make_logarithmic_ticks(field.range, most_ticks);
  for (const detail::Tick& tick : ticks) {
    canvas.set_color(PlotColor::gray, 0.5);
    canvas.line(field.at(tick.value), top, field.at(tick.value), bottom, 1);
    canvas.set_color(PlotColor::black);
    canvas.text(tick.text, field.at(tick.value), bottom + text_size, text_size, TextAnchor::center);
  }
  canvas.text(chart.value_label, field.left + field.width / 2, bottom + 2.5 * text_size, text_size, TextAnchor::center);
}

}  // namespace

Picture draw_bar_chart(const BarChart& chart) {
  check(chart);
  const int top = chart.title.empty() ? static_cast<int>(gap) : chart_title_height;
  const int bottom = top + bar_pitch * static_cast<int>(chart.bars.size());
  Canvas canvas(chart.width, bottom + axis_height);
  const Field field = field_of(canvas, chart);
  canvas.set_color(PlotColor::black);
  canvas.text(chart.title, chart.width / 2.0, top / 2.0, title_size, TextAnchor::center);
  draw_axis(canvas, chart, field, top, bottom);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double middle = top + bar_pitch * (static_cast<double>(i) + 0.5);
    double end = field.left;
    if (!std::isnan(bar.value)) {
      end = chart.scale == AxisScale::linear && bar.value == 0 ? field.left : field.at(bar.value);
      canvas.set_color(bar.color);
      canvas.rectangle({field.left, middle - bar_height / 2, end - field.left, bar_height}, true);
    }
    canvas.set_color(PlotColor::black);
    canvas.text(bar.name, field.left - gap, middle, text_size, TextAnchor::right);
    canvas.text(bar.words, end + gap, middle, text_size, TextAnchor::left);
  }
  return canvas.picture();
}

}  // namespace whorl
