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
/// Entries of the window's table per cell.
inline constexpr int steps_per_cell = 10;

/// The sizes above as options: those of the ladder, unless a table of the study is about others.
struct Sizes {
  int window = width;            ///< cells along each axis that the window reaches over
  int side = sector;             ///< cells of a sector's side, at least the window's
  int entries = steps_per_cell;  ///< of the window's table per cell

  constexpr int padded_side() const { return side + window; }
  friend bool operator==(const Sizes&, const Sizes&) = default;
};

/// A sample at a place in cells of the grid, 0 <= x < extent, with its value.
struct Sample {
  float x, y;
  float real, imag;
};

/// Extents of a grid that is periodic. The last sector of an axis may be smaller than the others, but not smaller than half a
/// window, so that a sample reaches no further than the next sector.
struct Extents {
  int y = 0;
  int x = 0;

  constexpr Index points() const { return Index{y} * x; }
  constexpr int sectors_y(int side = sector) const { return (y + side - 1) / side; }
  constexpr int sectors_x(int side = sector) const { return (x + side - 1) / side; }
  constexpr int sectors(int side = sector) const { return sectors_y(side) * sectors_x(side); }
};

/// The first of the points i along an axis that the window at x >= 0 reaches: -window/2 <= i - x < window/2.
constexpr int first_point(float x, int window = width) {
  const int below = static_cast<int>(x);
  return below + (static_cast<float>(below) < x ? 1 : 0) - window / 2;
}

/// A point of a periodic axis that lies less than one extent off.
constexpr int wrapped(int i, int extent) {
  if (i < 0) return i + extent;
  return i < extent ? i : i - extent;
}

}  // namespace whorl::studies::gridding_2d
