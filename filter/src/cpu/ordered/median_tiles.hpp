// Medians by networks of comparators, for tiles of pixels. The pixels that all windows of a tile share are sorted once.
// For each half of the tile, the columns or rows that its windows share are added, and so on down to single pixels
// (Sugy 2025, "A fast parallel median filtering algorithm using hierarchical tiling", doi:10.1145/3721238.3730709).
#pragma once

#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

inline constexpr Index largest_tiled_radius = 20;
/// Up to this radius medians always work on rows, and do point operations when they read and write them.
inline constexpr Index largest_fused_radius = 4;

/// The number of tiles that are computed together, in the lanes of vectors.
template <class Key>
inline constexpr Index tiles_together = 64 / static_cast<Index>(sizeof(Key));

class MedianTiles {
 public:
  explicit MedianTiles(Index radius);

  Index radius() const { return radius_; }
  Index side() const { return 2 * radius_ + 1; }
  /// Rows and columns of a tile.
  Index extent() const { return extent_; }
  /// Number of rows and columns on which a tile depends.
  Index reach() const { return extent_ + 2 * radius_; }

 private:
  Index radius_, extent_;
};

/// Whether histograms take longer for a slice of height x width.
template <class Key>
bool tiles_are_faster(Index radius, Index height, Index width);

/// The input of up to tiles_together tiles: number (x, y) of tile t is rows[y][columns[x] + t]. Its median (x, y) goes
/// to medians[y * median_row + x * tiles_together + t].
template <class Key>
struct TileWindows {
  const Key* const* rows;
  const Index* columns;
  Key* medians;
  Index median_row;
};

/// Computes `count` tiles; the medians of others may be overwritten too.
template <class Key>
void medians_of_tiles(const MedianTiles& tiles, const TileWindows<Key>& windows, Index count, std::vector<Key>& memory);

}  // namespace whorl::backend::cpu
