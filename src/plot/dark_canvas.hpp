// Private: white text and lines on black, beside or below pictures.
#pragma once

#include <cairo.h>

#include <memory>
#include <string>

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
  struct Destroy {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
    void operator()(cairo_t* drawing) const { cairo_destroy(drawing); }
  };
  std::unique_ptr<cairo_surface_t, Destroy> surface_;
  std::unique_ptr<cairo_t, Destroy> drawing_;
};

}  // namespace whorl::detail
