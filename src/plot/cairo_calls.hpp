// Private: what whorl calls of cairo, a library that needs those of X. It is loaded when something is first drawn, so that a
// program that draws nothing needs none of them.
#pragma once

#include <cairo.h>

#include <memory>

namespace whorl::detail {

/// Functions of cairo under their own names, without "cairo_".
struct CairoCalls {
  decltype(&cairo_arc) arc;
  decltype(&cairo_clip) clip;
  decltype(&cairo_create) create;
  decltype(&cairo_destroy) destroy;
  decltype(&cairo_fill) fill;
  decltype(&cairo_font_extents) font_extents;
  decltype(&cairo_image_surface_create) image_surface_create;
  decltype(&cairo_image_surface_get_data) image_surface_get_data;
  decltype(&cairo_image_surface_get_height) image_surface_get_height;
  decltype(&cairo_image_surface_get_stride) image_surface_get_stride;
  decltype(&cairo_image_surface_get_width) image_surface_get_width;
  decltype(&cairo_line_to) line_to;
  decltype(&cairo_move_to) move_to;
  decltype(&cairo_new_sub_path) new_sub_path;
  decltype(&cairo_paint) paint;
  decltype(&cairo_rectangle) rectangle;
  decltype(&cairo_restore) restore;
  decltype(&cairo_rotate) rotate;
  decltype(&cairo_save) save;
  decltype(&cairo_select_font_face) select_font_face;
  decltype(&cairo_set_font_size) set_font_size;
  decltype(&cairo_set_line_cap) set_line_cap;
  decltype(&cairo_set_line_join) set_line_join;
  decltype(&cairo_set_line_width) set_line_width;
  decltype(&cairo_set_source_rgb) set_source_rgb;
  decltype(&cairo_set_source_rgba) set_source_rgba;
  decltype(&cairo_show_text) show_text;
  decltype(&cairo_status) status;
  decltype(&cairo_status_to_string) status_to_string;
  decltype(&cairo_stroke) stroke;
  decltype(&cairo_surface_destroy) surface_destroy;
  decltype(&cairo_surface_flush) surface_flush;
  decltype(&cairo_surface_write_to_png_stream) surface_write_to_png_stream;
  decltype(&cairo_text_extents) text_extents;
  decltype(&cairo_translate) translate;
};

/// Throws Unsupported (cairo cannot be loaded).
const CairoCalls& cairo();

/// Whether cairo can be loaded. Without it, pictures whose text only helps are drawn without text.
bool can_draw_text();

struct DestroyCairo {
  void operator()(cairo_surface_t* surface) const { cairo().surface_destroy(surface); }
  void operator()(cairo_t* drawing) const { cairo().destroy(drawing); }
};
using CairoSurface = std::unique_ptr<cairo_surface_t, DestroyCairo>;
using CairoDrawing = std::unique_ptr<cairo_t, DestroyCairo>;

}  // namespace whorl::detail
