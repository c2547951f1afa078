#include "whorl/io/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl {

namespace {

constexpr double default_percentile = 0.995;

// The images that are shown, and how they lie in the picture.
struct Montage {
  std::vector<ArrayRef<const float>> tiles;  // [y, x] each
  Index columns = 1;
  Index rows = 1;
  Index width = 0;
  Index height = 0;
};

Montage lay_out(ArrayRef<const float> images, const PngOptions& options) {
  if (images.rank() < 2 || images.size() == 0) {
    throw ShapeError(fmt::format("writing PNG: expected images [..., y, x] with at least one pixel, got {}",
                                 to_string(images.shape())));
  }
  if (options.tiles && *options.tiles < 1) {
    throw ValueError(fmt::format("writing PNG: expected 1 tile or more, got {}", *options.tiles));
  }
  const Index y = images.extent(-2);
  const Index x = images.extent(-1);
  const Index count = images.size() / (y * x);
  const Index shown = std::min(count, options.tiles.value_or(count));
  const auto flat = images.reshape({count, y, x});
  Montage montage;
  // The middle of each of `shown` equal parts: one tile of a volume is its middle slice.
  for (Index tile = 0; tile < shown; ++tile) montage.tiles.push_back(flat.slice((2 * tile + 1) * count / (2 * shown)));
  const double square = std::sqrt(static_cast<double>(shown * y) / static_cast<double>(x));
  montage.columns = std::clamp<Index>(std::llround(square), 1, shown);
  montage.rows = (shown + montage.columns - 1) / montage.columns;
  montage.width = montage.columns * x;
  montage.height = montage.rows * y;
  constexpr Index most = 65535;  // what other programs open, and a bound for the memory
  if (montage.width > most || montage.height > most) {
    throw ValueError(
        fmt::format("writing PNG: {} images of {} x {} make a picture of {} x {} pixels, at most {} a side; "
                    "show fewer tiles",
                    shown, x, y, montage.width, montage.height, most));
  }
  return montage;
}

void check_finite(const Montage& montage) {
  for (std::size_t tile = 0; tile < montage.tiles.size(); ++tile) {
    const auto values = montage.tiles[tile].span();
    const auto bad = std::find_if_not(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
    if (bad == values.end()) continue;
    const Index at = bad - values.begin();
    const Index x = montage.tiles[tile].extent(1);
    throw ValueError(fmt::format("writing PNG: pixel x {}, y {} of image {} is {}; every pixel must be finite", at % x,
                                 at / x, tile, *bad));
  }
}

double window_top(const Montage& montage, double low) {
  std::vector<float> values;
  for (const auto& tile : montage.tiles) values.insert(values.end(), tile.span().begin(), tile.span().end());
  const auto rank = static_cast<std::ptrdiff_t>(default_percentile * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  const double percentile = values[static_cast<std::size_t>(rank)];
  if (percentile > low) return percentile;
  const double highest = *std::max_element(values.begin(), values.end());
  // A flat image is black, whatever the window.
  return highest > low ? highest : std::nextafter(low, std::numeric_limits<double>::infinity());
}

std::vector<png_byte> paint(const Montage& montage, double low, double high) {
  std::vector<png_byte> pixels(static_cast<std::size_t>(montage.width * montage.height), 0);
  for (std::size_t tile = 0; tile < montage.tiles.size(); ++tile) {
    const auto image = montage.tiles[tile].view<2>();
    const Index left = static_cast<Index>(tile) % montage.columns * image.extent(1);
    const Index top = static_cast<Index>(tile) / montage.columns * image.extent(0);
    for (Index y = 0; y < image.extent(0); ++y) {
      for (Index x = 0; x < image.extent(1); ++x) {
        const double part = std::clamp((image(y, x) - low) / (high - low), 0.0, 1.0);
        pixels[static_cast<std::size_t>((top + y) * montage.width + left + x)] =
            static_cast<png_byte>(std::lround(255 * part));
      }
    }
  }
  return pixels;
}

// libpng's simplified interface: it reports errors by its result and needs no setjmp.
std::vector<png_byte> encode(const Montage& montage, const std::vector<png_byte>& pixels) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(montage.width);
  image.height = static_cast<png_uint_32>(montage.height);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::vector<png_byte> encoded(bytes);
  if (png_image_write_to_memory(&image, encoded.data(), &bytes, 0, pixels.data(), 0, nullptr) == 0) {
    throw Error(fmt::format("writing PNG: {}", image.message));
  }
  encoded.resize(bytes);
  return encoded;
}

}  // namespace

void write_png(const Context& ctx, const std::filesystem::path& path, ArrayRef<const float> images,
               const PngOptions& options) {
  const Montage montage = lay_out(images, options);
  check_finite(montage);
  const double high = options.high ? *options.high : window_top(montage, options.low);
  if (!(high > options.low) || !std::isfinite(high) || !std::isfinite(options.low)) {
    throw ValueError(fmt::format("writing PNG: the window's top {} must be above its bottom {}", high, options.low));
  }
  ctx.check_cancel("writing PNG");
  const std::vector<png_byte> encoded = encode(montage, paint(montage, options.low, high));
  AtomicFile file(path);
  file.write(encoded.data(), encoded.size());
  file.commit();
}

}  // namespace whorl
