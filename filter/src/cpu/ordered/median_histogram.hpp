// Medians by histograms of columns, for large windows: their time does not depend on the radius.
#pragma once

#include <cstdint>
#include <vector>

#include "filter/src/kernels/ordered/ordered.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// One channel of a part of an image. Row y of the `height` results needs the rows y to y + 2 radius, each of width + 2
/// radius numbers.
struct MedianTile {
  Index width, height, radius;
  Index columns() const { return width + 2 * radius; }
  Index rows() const { return height + 2 * radius; }
};

/// Memory for the histograms of one tile after the other.
struct HistogramMemory {
  std::vector<std::uint8_t> coarse, fine;
};

/// The medians of bytes [rows, columns]: results [height, width]. `rank`, where it is not null, gets the number of
/// equal bytes that come before the median in the sorted window.
void median_bytes(const MedianTile& tile, const std::uint8_t* bytes, HistogramMemory& memory, std::uint8_t* medians,
                  std::uint16_t* rank);

/// Counts the places from `first` on that lie within the window with the corner (x, y), and returns the index of number
/// `rank` of them, which must exist. It may read 32 places after the last one.
std::uint32_t find_in_group(const std::uint16_t* xs, const std::uint16_t* ys, std::uint32_t first, std::uint16_t x,
                            std::uint16_t y, std::uint16_t side, std::uint32_t rank);

/// The medians of numbers [rows, columns] of uint16 or int32: their ranks in the tile, as bytes, give the group of the
/// median; then the few numbers of this group are searched.
template <class Key>
void median_keys(const MedianTile& tile, const Key* keys, Key* medians);

}  // namespace whorl::backend::cpu
