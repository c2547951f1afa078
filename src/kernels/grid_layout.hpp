// How a grid of k-space lies in memory.
#pragma once

#include <array>

#include "whorl/core/shape.hpp"

namespace whorl::kernels {

/// Where the points of a periodic grid of three axes (z first; 2D: one plane) lie in memory. Rows may be longer than
/// the grid is wide, and planes longer than their rows: what lies a power of two apart evicts each other from the
/// caches. What lies past a row's end holds finite numbers without meaning; past a plane's last row may lie anything.
struct GridLayout {
  std::array<Index, 3> extent{};
  Index row = 0;    ///< elements from one row to the next
  Index plane = 0;  ///< elements from one plane to the next

  Index size() const { return plane * extent[0]; }
};

/// Points of a grid with what its rows are longer, for predictions of memory; a backend may take a little less or more.
inline Index points_with_padding(const Shape& grid) {
  constexpr Index padding = 16;
  return grid.size() + grid.size() / grid[grid.rank() - 1] * padding;
}

/// A grid without gaps.
inline GridLayout dense_layout(const std::array<Index, 3>& extent) {
  return {extent, extent[2], extent[1] * extent[2]};
}

}  // namespace whorl::kernels
