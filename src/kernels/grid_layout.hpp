// How a grid of k-space lies in memory.
#pragma once

#include <array>

#include "whorl/core/shape.hpp"

namespace whorl::kernels {

/// Coils whose grids may lie together point by point: a point of all of them is a vector of 32 bytes in single
/// precision, which crosses no cache line.
inline constexpr Index coils_together = 4;

/// Where the points of a periodic grid of three axes (z first; 2D: one plane) lie in memory. Rows may be longer than
/// the grid is wide, and planes longer than their rows: what lies a power of two apart evicts each other from the
/// caches. What lies past a row's end holds finite numbers without meaning; past a plane's last row may lie anything.
struct GridLayout {
  std::array<Index, 3> extent{};
  Index row = 0;    ///< elements from one row to the next
  Index plane = 0;  ///< elements from one plane to the next
  /// How many grids of a batch lie together, 1 or coils_together: element i of grid c of such a group is at
  /// together * i + c. Groups lie one after another, and behind them, each by itself, grids that do not fill a group.
  Index together = 1;

  Index size() const { return plane * extent[0]; }
};

/// A grid without gaps.
inline GridLayout dense_layout(const std::array<Index, 3>& extent) {
  return {extent, extent[2], extent[1] * extent[2]};
}

}  // namespace whorl::kernels
