#include "whorl/io/png.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "io/pictures/montage.hpp"
#include "io/pictures/png_encode.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

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
  io::write_png_pixels(ctx, path, montage.width, montage.height, Channels::gray, pixels);
}

}  // namespace whorl
