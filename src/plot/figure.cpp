#include "whorl/plot/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "plot/canvas.hpp"
#include "plot/draw_panel.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

constexpr int title_height = 30;

void check_range(const std::optional<std::array<double, 2>>& range, char axis) {
  if (!range) return;
  const auto& [low, high] = *range;
  if (!std::isfinite(low) || !std::isfinite(high) || !(low < high) || !std::isfinite(high - low)) {
    throw ValueError(fmt::format("figure: expected a finite rising range of {}, got {} to {}", axis, low, high));
  }
}

// NaN is allowed: it breaks the line.
void check_positive(const std::vector<double>& values, char axis) {
  const auto bad = std::find_if(values.begin(), values.end(), [](double value) { return value <= 0; });
  if (bad == values.end()) return;
  throw ValueError(fmt::format("figure: {} on a logarithmic axis {}, expected values above 0", *bad, axis));
}

void check_scale(const Panel& panel, AxisScale scale, const std::optional<std::array<double, 2>>& range,
                 std::vector<double> Series::*values, char axis) {
  check_range(range, axis);
  if (scale == AxisScale::linear) return;
  if (range) check_positive({range->front()}, axis);
  for (const Series& series : panel.series) check_positive(series.*values, axis);
}

void check_panel(const Panel& panel) {
  check_scale(panel, panel.x_scale, panel.x_range, &Series::x, 'x');
  check_scale(panel, panel.y_scale, panel.y_range, &Series::y, 'y');
  for (const Series& series : panel.series) {
    if (series.x.size() != series.y.size()) {
      throw ValueError(
          fmt::format("figure: a series has {} x but {} y; give as many", series.x.size(), series.y.size()));
    }
    const auto infinite = [](double value) { return std::isinf(value); };
    if (std::any_of(series.x.begin(), series.x.end(), infinite) ||
        std::any_of(series.y.begin(), series.y.end(), infinite)) {
      throw ValueError("figure: a point is infinite; leave it out, or make it NaN to break the line");
    }
    if (!(series.size > 0) || !std::isfinite(series.size)) {
      throw ValueError(fmt::format("figure: expected a size of lines and dots above 0, got {}", series.size));
    }
  }
}

// Columns and rows of panels.
struct Layout {
  int columns;
  int rows;
  int width;
  int height;
};

Layout lay_out(const Figure& figure) {
  constexpr int least = 200;
  constexpr int most = 16384;
  if (figure.panels.empty() || figure.columns < 1) {
    throw ValueError(fmt::format("figure: expected at least 1 panel and 1 column, got {} and {}", figure.panels.size(),
                                 figure.columns));
  }
  const std::size_t count = figure.panels.size();
  // Compared as products of 64 bits.
  const std::size_t columns = std::min(count, static_cast<std::size_t>(figure.columns));
  const std::size_t rows = divide_up(count, columns);
  if (figure.panel_width < least || figure.panel_height < least ||
      columns * static_cast<std::size_t>(figure.panel_width) > most ||
      rows * static_cast<std::size_t>(figure.panel_height) + title_height > most) {
    throw ValueError(
        fmt::format("figure: {} x {} panels of {} x {} pixels; expected panels of at least {} and a picture "
                    "of at most {} a side",
                    columns, rows, figure.panel_width, figure.panel_height, least, most));
  }
  const auto across = static_cast<int>(columns);
  const auto down = static_cast<int>(rows);
  return {across, down, across * figure.panel_width,
          down * figure.panel_height + (figure.title.empty() ? 0 : title_height)};
}

detail::Canvas drawn(const Context& ctx, const Figure& figure) {
  const Layout layout = lay_out(figure);
  for (const Panel& panel : figure.panels) check_panel(panel);
  detail::Canvas canvas(layout.width, layout.height);
  const int top = figure.title.empty() ? 0 : title_height;
  canvas.set_color(PlotColor::black);
  constexpr double title_size = 16;
  canvas.text(figure.title, layout.width / 2.0, title_height / 2.0, title_size, detail::TextAnchor::center);
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const int place = static_cast<int>(i);
    const int left = place % layout.columns * figure.panel_width;
    const int above = top + place / layout.columns * figure.panel_height;
    detail::draw_panel(ctx, canvas, figure.panels[i],
                       {static_cast<double>(left), static_cast<double>(above), static_cast<double>(figure.panel_width),
                        static_cast<double>(figure.panel_height)});
  }
  ctx.check_cancel("drawing a figure");
  return canvas;
}

}  // namespace

Picture draw_figure(const Context& ctx, const Figure& figure) { return drawn(ctx, figure).picture(); }

void write_figure(const Context& ctx, const std::filesystem::path& path, const Figure& figure) {
  const std::vector<std::byte> bytes = drawn(ctx, figure).encode();
  AtomicFile file(path);
  file.write(bytes.data(), bytes.size());
  file.commit();
}

}  // namespace whorl
