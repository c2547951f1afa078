#include "whorl/io/png.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "io/pictures/enlarge.hpp"
#include "io/pictures/montage.hpp"
#include "io/pictures/png_encode.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr const char* operation_png = "writing PNG";

void check_png_window(double low, double high) {
  if (!(high > low) || !std::isfinite(high) || !std::isfinite(low)) {
    throw ValueError(fmt::format("{}: the window's top {} must be above its bottom {}", operation_png, high, low));
  }
}

}  // namespace

void check_png(const Shape& images, const PngOptions& options) {
  const io::MontageLayout layout = io::montage_layout(operation_png, images, options.tiles);
  // Where the images have to tell the top of the window, it is above the bottom.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_png_window(options.low, options.high ? *options.high : std::nextafter(options.low, infinity));
  io::checked_zoom(operation_png, layout, options.zoom);
}

void write_png(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
               const PngOptions& options) {
  const io::Montage montage = io::lay_out(operation_png, images, options.tiles);
  io::check_finite(operation_png, montage);
  const double high = options.high ? *options.high : io::window_top(montage, options.low);
  check_png_window(options.low, high);
  const Index zoom = io::checked_zoom(operation_png, montage, options.zoom);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(montage.width * montage.height), 0);
  io::for_each_pixel(montage, options.low, high, [&](std::size_t pixel, double part) {
    pixels[pixel] = static_cast<std::uint8_t>(std::lround(255 * part));
  });
  if (zoom > 1) pixels = io::enlarged(pixels, montage.width, montage.height, zoom);
  io::write_png_pixels(ctx, path, zoom * montage.width, zoom * montage.height, Channels::gray, pixels);
}

}  // namespace whorl
