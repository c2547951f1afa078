#include "whorl/io/png.hpp"
#include "whorl/core/integer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

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

// The zoom that is asked for, or the comfortable one.
Index png_zoom(const io::MontageLayout& layout, Index asked) {
  const Index zoom = asked == 0 ? comfortable_zoom(layout.width, layout.height) : asked;
  if (zoom < 1 || zoom > 65535 / std::max(layout.width, layout.height)) {
    throw ValueError(
        fmt::format("{}: a zoom of {} for {} x {} pixels, expected one that leaves a side of at most 65535",
                    operation_png, zoom, layout.width, layout.height));
  }
  return zoom;
}

// Each pixel as a square.
std::vector<std::uint8_t> enlarged(const std::vector<std::uint8_t>& pixels, Index width, Index height, Index zoom) {
  std::vector<std::uint8_t> large;
  large.reserve(pixels.size() * static_cast<std::size_t>(zoom * zoom));
  for (Index y = 0; y < height; ++y) {
    const auto row = large.size();
    for (Index x = 0; x < width; ++x) {
      large.insert(large.end(), static_cast<std::size_t>(zoom), pixels[static_cast<std::size_t>(y * width + x)]);
    }
    for (Index copy = 1; copy < zoom; ++copy) {
      large.insert(large.end(), large.begin() + static_cast<std::ptrdiff_t>(row),
                   large.begin() + static_cast<std::ptrdiff_t>(row) + static_cast<std::ptrdiff_t>(width * zoom));
    }
  }
  return large;
}

}  // namespace

Index comfortable_zoom(Index width, Index height) {
  constexpr Index comfortable_side = 512;
  const Index side = std::clamp<Index>(std::max(width, height), 1, comfortable_side);
  return divide_up(comfortable_side, side);
}

void check_png(const Shape& images, const PngOptions& options) {
  const io::MontageLayout layout = io::montage_layout(operation_png, images, options.tiles);
  // Where the images have to tell the top of the window, it is above the bottom.
  constexpr double infinity = std::numeric_limits<double>::infinity();
  check_png_window(options.low, options.high ? *options.high : std::nextafter(options.low, infinity));
  png_zoom(layout, options.zoom);
}

void write_png(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
               const PngOptions& options) {
  const io::Montage montage = io::lay_out(operation_png, images, options.tiles);
  io::check_finite(operation_png, montage);
  const double high = options.high ? *options.high : io::window_top(montage, options.low);
  check_png_window(options.low, high);
  const Index zoom = png_zoom(montage, options.zoom);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(montage.width * montage.height), 0);
  io::for_each_pixel(montage, options.low, high, [&](std::size_t pixel, double part) {
    pixels[pixel] = static_cast<std::uint8_t>(std::lround(255 * part));
  });
  if (zoom > 1) pixels = enlarged(pixels, montage.width, montage.height, zoom);
  io::write_png_pixels(ctx, path, zoom * montage.width, zoom * montage.height, Channels::gray, pixels);
}

}  // namespace whorl
