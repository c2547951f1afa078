// Montage: images side by side in one picture.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::io {

/// Where the images of a picture go.
struct MontageLayout {
  Index shown = 0;  // of `count` images
  Index count = 0;
  Index columns = 1;
  Index rows = 1;
  Index width = 0;
  Index height = 0;
};

/// The images to show, and their layout in the picture.
struct Montage : MontageLayout {
  std::vector<ArrayRef<const float>> tiles;  // [y, x] each
};

/// The layout of images [..., y, x]. Throws as lay_out.
MontageLayout montage_layout(const char* operation, const Shape& images, std::optional<Index> tiles);

/// The rule of write_png (whorl/io/png.hpp), and its errors. `operation` begins their text.
Montage lay_out(const char* operation, ArrayRef<const float> images, std::optional<Index> tiles);

/// Throws ValueError, naming the first such pixel, if a shown pixel is not finite.
void check_finite(const char* operation, const Montage& montage);

/// The quantile `part` (0 to 1) of all shown pixels.
double quantile(const Montage& montage, double part);

/// The image that a tile shows: the middle of each of `shown` equal parts, so that one tile of a volume is its middle
/// slice.
inline Index image_of_tile(const MontageLayout& layout, Index tile) {
  return (2 * tile + 1) * layout.count / (2 * layout.shown);
}

/// The quantile `part` as the top of a window; if that is not above `low`, the maximum; for constant images a value
/// just above `low`, so that they are black.
double window_top_at(const Montage& montage, double low, double part);

/// The default top of the window: the 99.5th percentile.
double window_top(const Montage& montage, double low);

/// Calls put(position in the picture, part of the window from 0 to 1) for every pixel of every tile.
template <class Put>
void for_each_pixel(const Montage& montage, double low, double high, const Put& put) {
  for (std::size_t tile = 0; tile < montage.tiles.size(); ++tile) {
    const auto image = montage.tiles[tile].view<2>();
    const Index left = static_cast<Index>(tile) % montage.columns * image.extent(1);
    const Index top = static_cast<Index>(tile) / montage.columns * image.extent(0);
    for (Index y = 0; y < image.extent(0); ++y) {
      for (Index x = 0; x < image.extent(1); ++x) {
        const double part = std::clamp((image(y, x) - low) / (high - low), 0.0, 1.0);
        put(static_cast<std::size_t>((top + y) * montage.width + left + x), part);
      }
    }
  }
}

}  // namespace whorl::io
