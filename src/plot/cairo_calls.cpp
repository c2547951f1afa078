#include "plot/cairo_calls.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "whorl/core/error.hpp"

namespace whorl::detail {

namespace {

// The interface of cairo 1, which has not changed since 2005.
constexpr const char* cairo_file = "libcairo.so.2";

template <class Function>
void find_call(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw Unsupported(fmt::format("drawing: {} has no {}; a newer one is needed", cairo_file, name));
}

CairoCalls load() {
  // Cairo stays loaded: its fonts have handlers of their own for the end of the program.
  void* const library = dlopen(cairo_file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) {
    throw Unsupported(
        fmt::format("drawing: cairo, which draws figures and their text, is not there ({}); install it (Debian: "
                    "libcairo2)",
                    dlerror()));
  }
  CairoCalls calls{};
  find_call(library, "cairo_arc", calls.arc);
  find_call(library, "cairo_clip", calls.clip);
  find_call(library, "cairo_create", calls.create);
  find_call(library, "cairo_destroy", calls.destroy);
  find_call(library, "cairo_fill", calls.fill);
  find_call(library, "cairo_font_extents", calls.font_extents);
  find_call(library, "cairo_image_surface_create", calls.image_surface_create);
  find_call(library, "cairo_image_surface_get_data", calls.image_surface_get_data);
  find_call(library, "cairo_image_surface_get_height", calls.image_surface_get_height);
  find_call(library, "cairo_image_surface_get_stride", calls.image_surface_get_stride);
  find_call(library, "cairo_image_surface_get_width", calls.image_surface_get_width);
  find_call(library, "cairo_line_to", calls.line_to);
  find_call(library, "cairo_move_to", calls.move_to);
  find_call(library, "cairo_new_sub_path", calls.new_sub_path);
  find_call(library, "cairo_paint", calls.paint);
  find_call(library, "cairo_rectangle", calls.rectangle);
  find_call(library, "cairo_restore", calls.restore);
  find_call(library, "cairo_rotate", calls.rotate);
  find_call(library, "cairo_save", calls.save);
  find_call(library, "cairo_select_font_face", calls.select_font_face);
  find_call(library, "cairo_set_font_size", calls.set_font_size);
  find_call(library, "cairo_set_line_cap", calls.set_line_cap);
  find_call(library, "cairo_set_line_join", calls.set_line_join);
  find_call(library, "cairo_set_line_width", calls.set_line_width);
  find_call(library, "cairo_set_source_rgb", calls.set_source_rgb);
  find_call(library, "cairo_set_source_rgba", calls.set_source_rgba);
  find_call(library, "cairo_show_text", calls.show_text);
  find_call(library, "cairo_status", calls.status);
  find_call(library, "cairo_status_to_string", calls.status_to_string);
  find_call(library, "cairo_stroke", calls.stroke);
  find_call(library, "cairo_surface_destroy", calls.surface_destroy);
  find_call(library, "cairo_surface_flush", calls.surface_flush);
  find_call(library, "cairo_surface_write_to_png_stream", calls.surface_write_to_png_stream);
  find_call(library, "cairo_text_extents", calls.text_extents);
  find_call(library, "cairo_translate", calls.translate);
  return calls;
}

}  // namespace

const CairoCalls& cairo() {
  static const CairoCalls calls = load();
  return calls;
}

bool can_draw_text() {
  try {
    cairo();
    return true;
  } catch (const Unsupported&) {
    return false;
  }
}

}  // namespace whorl::detail
