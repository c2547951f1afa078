#include "whorl/plot/montage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <vector>

#include "io/pictures/montage.hpp"
#include "plot/window.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr const char* operation = "picture";

io::Montage checked_montage(ArrayRef<const float> images, std::optional<Index> tiles) {
  io::Montage montage = io::lay_out(operation, images, tiles);
  io::check_finite(operation, montage);
  return montage;
}

Picture zoomed(const Picture& picture, Index zoom) {
  if (zoom == 1) return picture;
  Picture large = blank_picture(picture.width * zoom, picture.height * zoom, {0, 0, 0});
  for (Index y = 0; y < large.height; ++y) {
    for (Index x = 0; x < large.width; ++x) large.at(y, x) = picture.at(y / zoom, x / zoom);
  }
  return large;
}

}  // namespace

DisplayWindow detail::window_of_tiles(const Context& ctx, const io::Montage& montage) {
  if (io::quantile(montage, 0) >= 0) return {0, io::window_top(montage, 0)};
  io::Montage magnitudes;
  std::vector<Array<float>> images;
  for (const auto& tile : montage.tiles) {
    images.push_back(clone(ctx, tile));
    for (float& value : images.back().span()) value = std::abs(value);
  }
  for (const Array<float>& image : images) magnitudes.tiles.push_back(image.ref());
  const double high = io::window_top(magnitudes, 0);
  return {-high, high};
}

DisplayWindow default_window(const Context& ctx, ArrayRef<const float> images, std::optional<Index> tiles) {
  return detail::window_of_tiles(ctx, checked_montage(images, tiles));
}

DisplayWindow map_window(const Context& ctx, ArrayRef<const float> images) {
  std::vector<float> inside;
  std::copy_if(images.span().begin(), images.span().end(), std::back_inserter(inside),
               [](float value) { return std::isfinite(value) && value != 0; });
  if (inside.empty()) return {0, 1};
  const bool is_signed = std::any_of(inside.begin(), inside.end(), [](float value) { return value < 0; });
  if (is_signed) {
    for (float& value : inside) value = std::abs(value);
  }
  Array<float> values(ctx, {1, std::ssize(inside)});
  std::copy(inside.begin(), inside.end(), values.span().begin());
  io::Montage object;
  object.tiles.push_back(values.ref());
  constexpr double outside = 0.02;  // on either side: edges, where maps of voxels with little signal run away
  const double high = io::window_top_at(object, is_signed ? 0 : io::quantile(object, outside), 1 - outside);
  return {is_signed ? -high : io::quantile(object, outside), high};
}

DisplayWindow percentile_window(ArrayRef<const float> images, double low, double high, std::optional<Index> tiles) {
  if (!(low >= 0 && high <= 100 && low < high)) {
    throw ValueError(fmt::format("{}: a window from percentile {} to {}; expected 0 to 100, the first one less",
                                 operation, low, high));
  }
  const io::Montage montage = checked_montage(images, tiles);
  const DisplayWindow window{io::quantile(montage, low / 100), io::quantile(montage, high / 100)};
  // Images that are flat between the percentiles: all values above are shown bright.
  if (window.high > window.low) return window;
  return {window.low, std::nextafter(window.low, std::numeric_limits<double>::infinity())};
}

Picture montage_picture(const Context& ctx, ArrayRef<const float> images, const MontageOptions& options) {
  const io::Montage montage = checked_montage(images, options.tiles);
  const DisplayWindow window = options.window ? *options.window : default_window(ctx, images, options.tiles);
  if (!(window.high > window.low) || !std::isfinite(window.high) || !std::isfinite(window.low)) {
    throw ValueError(
        fmt::format("{}: the window's top {} must be above its bottom {}", operation, window.high, window.low));
  }
  if (options.zoom < 1 || options.zoom > 65535) {
    throw ValueError(fmt::format("{}: a zoom of {}, expected 1 or more", operation, options.zoom));
  }
  Picture picture = blank_picture(montage.width, montage.height, {0, 0, 0});
  io::for_each_pixel(montage, window.low, window.high,
                     [&](std::size_t pixel, double part) { picture.pixels[pixel] = color_of(options.colormap, part); });
  return zoomed(picture, options.zoom);
}

}  // namespace whorl
