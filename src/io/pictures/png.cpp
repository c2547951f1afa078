#include "whorl/io/png.hpp"
#include "whorl/core/integer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "io/pictures/montage.hpp"
#include "io/pictures/png_encode.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

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

void write_png(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
               const PngOptions& options) {
  constexpr const char* operation = "writing PNG";
  const io::Montage montage = io::lay_out(operation, images, options.tiles);
  io::check_finite(operation, montage);
  const double high = options.high ? *options.high : io::window_top(montage, options.low);
  if (!(high > options.low) || !std::isfinite(high) || !std::isfinite(options.low)) {
    throw ValueError(fmt::format("{}: the window's top {} must be above its bottom {}", operation, high, options.low));
  }
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(montage.width * montage.height), 0);
  io::for_each_pixel(montage, options.low, high, [&](std::size_t pixel, double part) {
    pixels[pixel] = static_cast<std::uint8_t>(std::lround(255 * part));
  });
  const Index zoom = options.zoom == 0 ? comfortable_zoom(montage.width, montage.height) : options.zoom;
  if (zoom < 1 || zoom > 65535 / std::max(montage.width, montage.height)) {
    throw ValueError(
        fmt::format("{}: a zoom of {} for {} x {} pixels, expected one that leaves a side of at most 65535", operation,
                    zoom, montage.width, montage.height));
  }
  if (zoom > 1) pixels = enlarged(pixels, montage.width, montage.height, zoom);
  io::write_png_pixels(ctx, path, zoom * montage.width, zoom * montage.height, Channels::gray, pixels);
}

}  // namespace whorl
