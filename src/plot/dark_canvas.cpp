#include "plot/dark_canvas.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl::detail {

DarkCanvas::DarkCanvas(Index width, Index height, double font_size)
    : surface_(cairo().image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width), static_cast<int>(height))),
      drawing_(cairo().create(surface_.get())) {
  if (cairo().status(drawing_.get()) != CAIRO_STATUS_SUCCESS) {
    throw Error(fmt::format("text in a picture: {}", cairo().status_to_string(cairo().status(drawing_.get()))));
  }
  cairo().set_source_rgb(drawing_.get(), 0, 0, 0);
  cairo().paint(drawing_.get());
  cairo().set_source_rgb(drawing_.get(), 1, 1, 1);
  cairo().select_font_face(drawing_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo().set_font_size(drawing_.get(), font_size);
}

double DarkCanvas::text_width(const std::string& text) {
  cairo_text_extents_t extents;
  cairo().text_extents(drawing_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

Color DarkCanvas::at(Index y, Index x) {
  cairo().surface_flush(surface_.get());
  const unsigned char* line =
      cairo().image_surface_get_data(surface_.get()) + y * cairo().image_surface_get_stride(surface_.get());
  const std::uint32_t pixel = reinterpret_cast<const std::uint32_t*>(line)[x];
  return {static_cast<std::uint8_t>(pixel >> 16U), static_cast<std::uint8_t>(pixel >> 8U),
          static_cast<std::uint8_t>(pixel)};
}

}  // namespace whorl::detail
