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
    throw Error(fmt::format("drawing a figure: {}", cairo().status_to_string(status)));
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
    : surface_(cairo().image_surface_create(CAIRO_FORMAT_RGB24, width, height)),
      drawing_(cairo().create(surface_.get())) {
  check_status(cairo().status(drawing_.get()));
  cairo().set_source_rgb(drawing_.get(), 1, 1, 1);
  cairo().paint(drawing_.get());
  cairo().select_font_face(drawing_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo().set_line_join(drawing_.get(), CAIRO_LINE_JOIN_ROUND);
  // Round, so that the parts of a path meet without a seam.
  cairo().set_line_cap(drawing_.get(), CAIRO_LINE_CAP_ROUND);
}

void Canvas::set_color(PlotColor color, double opacity) {
  const auto& [red, green, blue] = palette[static_cast<std::size_t>(color)];
  cairo().set_source_rgba(drawing_.get(), red, green, blue, opacity);
}

void Canvas::set_white(double opacity) { cairo().set_source_rgba(drawing_.get(), 1, 1, 1, opacity); }

void Canvas::rectangle(const std::array<double, 4>& left_top_width_height, bool filled) {
  const auto& [left, top, width, height] = left_top_width_height;
  cairo().rectangle(drawing_.get(), left, top, width, height);
  if (filled) {
    cairo().fill(drawing_.get());
  } else {
    cairo().set_line_width(drawing_.get(), 1);
    cairo().stroke(drawing_.get());
  }
}

void Canvas::line(double x0, double y0, double x1, double y1, double width) {
  cairo().move_to(drawing_.get(), x0, y0);
  cairo().line_to(drawing_.get(), x1, y1);
  cairo().set_line_width(drawing_.get(), width);
  cairo().stroke(drawing_.get());
}

void Canvas::path(const std::vector<std::array<double, 2>>& points, double width) {
  cairo().set_line_width(drawing_.get(), width);
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
      cairo().line_to(drawing_.get(), x, y);
    } else {
      cairo().move_to(drawing_.get(), x, y);
    }
    down = true;
    if (++in_part < part) continue;
    cairo().stroke(drawing_.get());
    cairo().move_to(drawing_.get(), x, y);
    in_part = 0;
  }
  cairo().stroke(drawing_.get());
}

void Canvas::dots(const std::vector<std::array<double, 2>>& points, double diameter) {
  for (const auto& [x, y] : points) {
    if (std::isnan(x) || std::isnan(y)) continue;
    cairo().new_sub_path(drawing_.get());
    cairo().arc(drawing_.get(), x, y, diameter / 2, 0, 2 * std::numbers::pi);
    cairo().fill(drawing_.get());
  }
}

void Canvas::text(const std::string& text, double x, double y, double size, TextAnchor anchor, bool upright) {
  cairo().set_font_size(drawing_.get(), size);
  cairo_text_extents_t extents;
  cairo().text_extents(drawing_.get(), text.c_str(), &extents);
  cairo_font_extents_t font;
  cairo().font_extents(drawing_.get(), &font);
  const double part = anchor == TextAnchor::left ? 0 : anchor == TextAnchor::center ? 0.5 : 1;
  cairo().save(drawing_.get());
  cairo().translate(drawing_.get(), x, y);
  if (upright) cairo().rotate(drawing_.get(), -std::numbers::pi / 2);
  cairo().move_to(drawing_.get(), -part * extents.x_advance, (font.ascent - font.descent) / 2);
  cairo().show_text(drawing_.get(), text.c_str());
  cairo().restore(drawing_.get());
}

double Canvas::text_width(const std::string& text, double size) {
  cairo().set_font_size(drawing_.get(), size);
  cairo_text_extents_t extents;
  cairo().text_extents(drawing_.get(), text.c_str(), &extents);
  return extents.x_advance;
}

void Canvas::begin_clip(const std::array<double, 4>& left_top_width_height) {
  const auto& [left, top, width, height] = left_top_width_height;
  cairo().save(drawing_.get());
  cairo().rectangle(drawing_.get(), left, top, width, height);
  cairo().clip(drawing_.get());
}

void Canvas::end_clip() { cairo().restore(drawing_.get()); }

Picture Canvas::picture() const {
  check_status(cairo().status(drawing_.get()));
  cairo().surface_flush(surface_.get());
  Picture picture = blank_picture(cairo().image_surface_get_width(surface_.get()),
                                  cairo().image_surface_get_height(surface_.get()), {});
  const unsigned char* rows = cairo().image_surface_get_data(surface_.get());
  const Index stride = cairo().image_surface_get_stride(surface_.get());
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
  check_status(cairo().status(drawing_.get()));
  std::vector<std::byte> bytes;
  check_status(cairo().surface_write_to_png_stream(surface_.get(), append, &bytes));
  return bytes;
}

}  // namespace whorl::detail
