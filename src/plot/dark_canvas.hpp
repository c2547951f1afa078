// Private: white text and lines on black, beside or below pictures.
#pragma once

#include <string>

#include "plot/cairo_calls.hpp"
#include "whorl/plot/picture.hpp"

namespace whorl::detail {

/// A black picture on which cairo draws in white.
class DarkCanvas {
 public:
  /// Throws Error when cairo reports a failure.
  DarkCanvas(Index width, Index height, double font_size);

  cairo_t* drawing() { return drawing_.get(); }
  double text_width(const std::string& text);
  Color at(Index y, Index x);

 private:
  CairoSurface surface_;
  CairoDrawing drawing_;
};

}  // namespace whorl::detail
