#include "plot/canvas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl::detail {

namespace {

// Okabe and Ito's palette; gray is ours.
constexpr std::array<std::array<double, 3>, 8> palette{{{0.000, 0.447, 0.698},
                                                        {0.835, 0.369, 0.000},
                                                        {0.000, 0.620, 0.451},
                                                        {0.902, 0.624, 0.000},
                                                        {0.337, 0.706, 0.914},
                                                        {0.800, 0.475, 0.655},
                                                        {0.000, 0.000, 0.000},
                                                        {0.700, 0.700, 0.700}}};

void check_status(cairo_status_t status) {
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error(fmt::format("drawing a figure: {}", cairo_status_to_string(status)));
  }
}

// Exceptions must not pass through cairo, which is C.
cairo_status_t append(void* closure, const unsigned char* data, unsigned int length) {
  auto& bytes = *static_cast<std::vector<std::byte>*>(closure);
  try {
    const auto* first = reinterpret_cast<const std::byte*>(data);
    bytes.insert(bytes.end(), first, first + length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Canvas::Canvas(int width, int height)
    : surface_(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height)), cairo_(cairo_create(surface_.get())) {
  check_status(cairo_status(cairo_.get()));
  cairo_set_source_rgb(cairo_.get(), 1, 1, 1);
  cairo_paint(cairo_.get());
  cairo_select_font_face(cairo_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
  // Round, so that the parts of a path meet without a seam.
  cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_ROUND);
}

void Canvas::set_color(PlotColor color, double opacity) {
  const auto& [red, green, blue] = palette[static_cast<std::size_t>(color)];
  cairo_set_source_rgba(cairo_.get(), red, green, blue, opacity);
}

void Canvas::set_white(double opacity) { cairo_set_source_rgba(cairo_.get(), 1, 1, 1, opacity); }

void Canvas::rectangle(const std::array<double, 4>& left_top_width_height, bool filled) {
  const auto& [left, top, width, height] = left_top_width_height;
  cairo_rectangle(cairo_.get(), left, top, width, height);
  if (filled) {
    cairo_fill(cairo_.get());
  } else {
    cairo_set_line_width(cairo_.get(), 1);
    cairo_stroke(cairo_.get());
  }
}

void Canvas::line(double x0, double y0, double x1, double y1, double width) {
  cairo_move_to(cairo_.get(), x0, y0);
  cairo_line_to(cairo_.get(), x1, y1);
  cairo_set_line_width(cairo_.get(), width);
  cairo_stroke(cairo_.get());
}

void Canvas::path(const std::vector<std::array<double, 2>>& points, double width) {
  cairo_set_line_width(cairo_.get(), width);
  // The time of a stroke grows with the square of its crossings, so long paths are drawn in parts that overlap by one
  // point.
  constexpr std::size_t part = 500;
  std::size_t in_part = 0;
  bool down = false;
  for (const auto& [x, y] : points) {
    if (std::isnan(x) || std::isnan(y)) {
      down = false;
      continue;
    }
    if (down) {
      cairo_line_to(cairo_.get(), x, y);
    } else {
      cairo_move_to(cairo_.get(), x, y);
    }
    down = true;
    if (++in_part < part) continue;
    cairo_stroke(cairo_.get());
    cairo_move_to(cairo_.get(), x, y);
    in_part = 0;
  }
  cairo_stroke(cairo_.get());
}

void Canvas::dots(const std::vector<std::array<double, 2>>& points, double diameter) {
  for (const auto& [x, y] : points) {
    if (std::isnan(x) || std::isnan(y)) continue;
    cairo_new_sub_path(cairo_.get());
    cairo_arc(cairo_.get(), x, y, diameter / 2, 0, 2 * std::numbers::pi);
    cairo_fill(cairo_.get());
  }
}

void Canvas::text(const std::string& text, double x, double y, double size, TextAnchor anchor, bool upright) {
  cairo_set_font_size(cairo_.get(), size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_.get(), text.c_str(), &extents);
  cairo_font_extents_t font;
  cairo_font_extents(cairo_.get(), &font);
  const double part = anchor == TextAnchor::left ? 0 : anchor == TextAnchor::center ? 0.5 : 1;
  cairo_save(cairo_.get());
  cairo_translate(cairo_.get(), x, y);
  if (upright) cairo_rotate(cairo_.get(), -std::numbers::pi / 2);
  cairo_move_to(cairo_.get(), -part * extents.x_advance, (font.ascent - font.descent) / 2);
  cairo_show_text(cairo_.get(), text.c_str());
  cairo_restore(cairo_.get());
}

double Canvas::text_width(const std::string& text, double size) {
  cairo_set_font_size(cairo_.get(), size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::begin_clip(const std::array<double, 4>& left_top_width_height) {
  const auto& [left, top, width, height] = left_top_width_height;
  cairo_save(cairo_.get());
  cairo_rectangle(cairo_.get(), left, top, width, height);
  cairo_clip(cairo_.get());
}

void Canvas::end_clip() { cairo_restore(cairo_.get()); }

Picture Canvas::picture() const {
  check_status(cairo_status(cairo_.get()));
  cairo_surface_flush(surface_.get());
  Picture picture =
      blank_picture(cairo_image_surface_get_width(surface_.get()), cairo_image_surface_get_height(surface_.get()), {});
  const unsigned char* rows = cairo_image_surface_get_data(surface_.get());
  const Index stride = cairo_image_surface_get_stride(surface_.get());
  for (Index y = 0; y < picture.height; ++y) {
    const auto* row = reinterpret_cast<const std::uint32_t*>(rows + y * stride);
    for (Index x = 0; x < picture.width; ++x) {
      picture.at(y, x) = {static_cast<std::uint8_t>(row[x] >> 16U), static_cast<std::uint8_t>(row[x] >> 8U),
                          static_cast<std::uint8_t>(row[x])};
    }
  }
  return picture;
}

std::vector<std::byte> Canvas::encode() const {
  check_status(cairo_status(cairo_.get()));
  std::vector<std::byte> bytes;
  check_status(cairo_surface_write_to_png_stream(surface_.get(), append, &bytes));
  return bytes;
}

}  // namespace whorl::detail
