// Pictures of images: arrays [row, column, 3] of bytes, as Matplotlib's imshow and Pillow take them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "arrays.hpp"
#include "bindings.hpp"
#include "described.hpp"
#include "run.hpp"
#include "whorl/io/any_array.hpp"
#include "whorl/plot/caption.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/colormap.hpp"
#include "whorl/plot/display_part.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl::python {

namespace {

using Window = std::pair<double, double>;

nb::object picture_to_python(const Picture& picture) {
  Array<std::uint8_t> bytes(Context(), {picture.height, picture.width, 3});
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    std::copy_n(picture.pixels[i].begin(), 3, bytes.data() + 3 * i);
  }
  return to_python(std::move(bytes));
}

Picture picture_from(nb::handle object) {
  Input input(object, "picture");
  const auto bytes = host_array<std::uint8_t>(std::move(input));
  if (bytes.rank() != 3 || bytes.extent(2) != 3 || bytes.size() == 0) {
    throw ShapeError("picture has shape " + to_string(bytes.shape()) + ", expected [row, column, 3]");
  }
  Picture picture = blank_picture(bytes.extent(1), bytes.extent(0), {});
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    std::copy_n(bytes.data() + 3 * i, 3, picture.pixels[i].begin());
  }
  return picture;
}

// Real images as they are, of complex ones a part.
Array<float> shown_part(nb::handle object, const std::string& part) {
  const DisplayPart which = display_part_from_string(part);
  Input input(object, "images");
  if (!input.is_complex() && which == DisplayPart::magnitude) return host_copy<float>(input);
  const AnyArray values = host_copy<std::complex<float>>(input);
  return run(context_of(nb::none()), [&](const Context& ctx) { return display_part(ctx, values, which); });
}

std::optional<DisplayWindow> window_from(const std::optional<Window>& given) {
  if (!given) return std::nullopt;
  return DisplayWindow{given->first, given->second};
}

}  // namespace

void bind_plot(Module& m) {
  def<"color_of(colormap: Colormap, values: object) -> Array">(
      m,
      [](const std::string& name, nb::handle values_object) {
        const Colormap colormap = colormap_from_string(name);
        Input input(values_object, "values");
        const Array<double> values = host_copy<double>(input);
        std::vector<Index> extents(values.shape().begin(), values.shape().end());
        extents.push_back(3);
        Array<std::uint8_t> colors(Context(), Shape(std::move(extents)));
        for (Index i = 0; i < values.size(); ++i) {
          const Color color = color_of(colormap, values.data()[i]);
          std::copy(color.begin(), color.end(), colors.data() + 3 * i);
        }
        return to_python(std::move(colors));
      },
      R"(Colors of values from 0 to 1, which are clipped: red, green and blue of sRGB. For Matplotlib:
matplotlib.colors.ListedColormap(whorl.plot.color_of('cyclic', numpy.linspace(0, 1, 256)) / 255).

Shapes  values [...], result uint8 [..., 3]
Raises  ValueError (an unknown name))");
  def<"default_window(images: object, *, part: ImagePart = 'magnitude', tiles: int | None = None) -> "
      "tuple[float, float]">(
      m,
      [](nb::handle images_object, const std::string& part, std::optional<Index> tiles) {
        const Array<float> images = shown_part(images_object, part);
        const DisplayWindow window =
            run(context_of(nb::none()), [&](const Context& ctx) { return default_window(ctx, images, tiles); });
        return Window{window.low, window.high};
      },
      R"(The window of montage_picture: from 0 to the 99.5th percentile; with negative values symmetric around 0.

Shapes  images [..., y, x]
Raises  ShapeError, ValueError (a pixel that is not finite, tiles below 1, another part))");
  def<"montage_picture(images: object, *, colormap: Colormap = 'gray', window: tuple[float, float] | "
      "None = None, part: ImagePart = 'magnitude', tiles: int | None = None, zoom: int = 1) -> Array">(
      m,
      [](nb::handle images_object, const std::string& colormap, const std::optional<Window>& window,
         const std::string& part, std::optional<Index> tiles, Index zoom) {
        const MontageOptions options{colormap_from_string(colormap), window_from(window), tiles, zoom};
        const Array<float> images = shown_part(images_object, part);
        return picture_to_python(
            run(context_of(nb::none()), [&](const Context& ctx) { return montage_picture(ctx, images, options); }));
      },
      R"(Images side by side in a nearly square array, row by row, for Matplotlib's imshow or Pillow.

window  values at the ends of the colormap; None: default_window
part    of complex images; real images keep their sign where it is 'magnitude'
tiles   number of images to show, evenly spaced; None: all
zoom    side of the square for each pixel of an image

Shapes  images [..., y, x]; result uint8 [row, column, 3]
Raises  ShapeError, ValueError (a pixel that is not finite, a window without extent, tiles or zoom below 1))");
  def<"with_colorbar(picture: object, colormap: Colormap, window: tuple[float, float], label: str = "
      "'') -> Array">(
      m,
      [](nb::handle picture, const std::string& colormap, const Window& window, const std::string& label) {
        return picture_to_python(
            with_colorbar(picture_from(picture), colormap_from_string(colormap), {window.first, window.second}, label));
      },
      R"(The picture with a bar at its right that shows the values of the colors. Text needs the library cairo.

Shapes  uint8 [row, column, 3]
Raises  ShapeError, ValueError (a window without extent), Unsupported (cairo is not installed))");
  def<"with_caption(picture: object, lines: Sequence[str]) -> Array">(
      m,
      [](nb::handle picture, const std::vector<std::string>& lines) {
        return picture_to_python(with_caption(picture_from(picture), lines));
      },
      R"(The picture with lines of white text on black below it, wrapped to its width. Text needs the library cairo.

Shapes  uint8 [row, column, 3]
Raises  ShapeError, Unsupported (cairo is not installed))");
}

}  // namespace whorl::python
