// The layout of a k-space grid in memory.
#pragma once

#include <array>

#include "whorl/core/shape.hpp"

namespace whorl::kernels {

/// The number of coils whose grids may be interleaved point by point: the values of one point are then a vector of 32
/// bytes in single precision, which crosses no cache line.
inline constexpr Index coils_together = 4;

/// Where the points of a periodic grid of three axes (z first; 2D: one plane) lie in memory. Rows and planes may be
/// padded, because lines that are a power of two apart evict each other from the caches. The padding of a row holds
/// finite numbers without meaning; the padding of a plane may hold anything.
struct GridLayout {
  std::array<Index, 3> extent{};
  Index row = 0;    ///< elements from one row to the next
  Index plane = 0;  ///< elements from one plane to the next
  /// How many grids of a batch are interleaved, 1 or coils_together: element i of grid c of such a group is at
  /// together * i + c. Groups follow one another; grids that do not fill a group follow the groups, one by one.
  Index together = 1;

  Index size() const { return plane * extent[0]; }
};

/// A grid without gaps.
inline GridLayout dense_layout(const std::array<Index, 3>& extent) {
  return {extent, extent[2], extent[1] * extent[2]};
}

}  // namespace whorl::kernels
