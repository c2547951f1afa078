#include "io/pictures/enlarge.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/io/png.hpp"

namespace whorl {

Index comfortable_zoom(Index width, Index height) {
  constexpr Index comfortable_side = 512;
  const Index side = std::clamp<Index>(std::max(width, height), 1, comfortable_side);
  return divide_up(comfortable_side, side);
}

Index io::checked_zoom(const char* operation, const MontageLayout& layout, Index asked) {
  const Index zoom = asked == 0 ? comfortable_zoom(layout.width, layout.height) : asked;
  if (zoom < 1 || zoom > 65535 / std::max(layout.width, layout.height)) {
    throw ValueError(
        fmt::format("{}: a zoom of {} for {} x {} pixels, expected one that leaves a side of at most 65535", operation,
                    zoom, layout.width, layout.height));
  }
  return zoom;
}

std::vector<std::uint8_t> io::enlarged(const std::vector<std::uint8_t>& pixels, Index width, Index height, Index zoom) {
  if (zoom == 1) return pixels;
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

}  // namespace whorl
