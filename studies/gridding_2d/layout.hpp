// The data of gridding and their layout in memory: samples, grid, and the sectors of a grid.
#pragma once

#include <cstdint>

#include "whorl/core/view.hpp"

namespace whorl::studies::gridding_2d {

inline constexpr int width = 8;    ///< cells along each axis that the window reaches over
inline constexpr int sector = 32;  ///< cells of a sector's side
/// Side of a sector with all points that its samples reach: half a window more on both sides.
inline constexpr int padded = sector + width;
inline constexpr int padded_points = padded * padded;

/// A sample at a place in cells of the grid, 0 <= x < extent, with its value.
struct Sample {
  float x, y;
  float real, imag;
};

/// Of a grid that is periodic, each a multiple of the sector's side.
struct Extents {
  int y = 0;
  int x = 0;

  constexpr Index points() const { return Index{y} * x; }
  constexpr int sectors_y() const { return y / sector; }
  constexpr int sectors_x() const { return x / sector; }
  constexpr int sectors() const { return sectors_y() * sectors_x(); }
};

/// The first of the points i along an axis that the window at x >= 0 reaches: -width/2 <= i - x < width/2.
constexpr int first_point(float x) {
  const int below = static_cast<int>(x);
  return below + (static_cast<float>(below) < x ? 1 : 0) - width / 2;
}

/// A point of a periodic axis that lies less than one extent off.
constexpr int wrapped(int i, int extent) {
  if (i < 0) return i + extent;
  return i < extent ? i : i - extent;
}

}  // namespace whorl::studies::gridding_2d
