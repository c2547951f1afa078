// Kernel family: histogram equalization tile by tile.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

/// Tiles of equal size. They may reach beyond the right and lower edge, where the image is reflected.
struct ClaheTiles {
  Index count = 1;   ///< along each side
  Index width = 1;   ///< pixels of one
  Index height = 1;  ///< and rows
  Index limit = 0;   ///< of a level's count; 0: none
};

/// The count of a level after the counts above the limit, `excess` in all, are distributed: equally to all levels, and
/// the remainder one by one to evenly spaced levels from 0 on.
constexpr Index clipped_count(Index count, Index level, Index levels, Index limit, Index excess) {
  if (limit == 0) return count;
  const Index left = excess % levels;
  const Index step = left > 0 ? (levels / left > 1 ? levels / left : 1) : levels;
  const bool one_more = left > 0 && level % step == 0 && level / step < left;
  return (count > limit ? limit : count) + excess / levels + (one_more ? 1 : 0);
}

/// Makes tables[slice][tile y][tile x][level] from the first channel.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const ClaheTiles&, const T* from, T* tables)> clahe_tables{
    "clahe"};

/// Maps each pixel by the tables of the four tiles around it; other channels do not change.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const ClaheTiles&, const T* tables, const T* from, T* to)>
    clahe_map{"clahe"};

}  // namespace whorl::kernels
