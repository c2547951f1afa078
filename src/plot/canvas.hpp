// Private: a white picture to draw on.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "plot/cairo_calls.hpp"
#include "whorl/plot/figure.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl::detail {

enum class TextAnchor { left, center, right };

/// A white picture; coordinates are pixels from the top left corner.
class Canvas {
 public:
  Canvas(int width, int height);

  void set_color(PlotColor color, double opacity = 1);
  void set_white(double opacity);
  void rectangle(const std::array<double, 4>& left_top_width_height, bool filled);
  void line(double x0, double y0, double x1, double y1, double width);
  /// A path through points, broken where one is NaN.
  void path(const std::vector<std::array<double, 2>>& points, double width);
  void dots(const std::vector<std::array<double, 2>>& points, double diameter);
  /// Text whose anchor is at x and whose vertical middle is at y; upright text runs upward.
  void text(const std::string& text, double x, double y, double size, TextAnchor anchor, bool upright = false);
  double text_width(const std::string& text, double size);
  /// Restricts drawing to a rectangle until end_clip().
  void begin_clip(const std::array<double, 4>& left_top_width_height);
  void end_clip();

  Picture picture() const;
  /// The picture as PNG. Throws Error when cairo reports a failure.
  std::vector<std::byte> encode() const;

 private:
  CairoSurface surface_;
  CairoDrawing drawing_;
};

}  // namespace whorl::detail
