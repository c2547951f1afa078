// The window: a Gaussian, and the ways in which the steps compute its values.
#pragma once

#include <array>
#include <numbers>
#include <string>
#include <vector>

#include "studies/gridding_2d/layout.hpp"

namespace whorl::studies::gridding_2d {

/// exp(-t^2 / b). The b of least error for a window of 8 cells and an oversampling of 2 (whorl/op/window.hpp), and that
/// of the paper's listing, whose standard deviation is the reach of the window.
constexpr double best_b_of(int window) { return window * 2 / (3 * std::numbers::pi); }
inline constexpr double best_b = best_b_of(width);
inline constexpr double listing_b = 2.0 * (width / 2) * (width / 2);

/// A table over distances: entry i holds the value in the middle of the cell's i-th tenth, or other part. Distances
/// reach to sqrt(3) window/2 in three dimensions.
constexpr int entries_of(const Sizes& sizes) { return sizes.entries * (sizes.window * 7 / 8); }
inline constexpr int table_entries = entries_of({});

double table_value(double b, int entry, int per_cell = steps_per_cell);
std::vector<float> window_table(double b, const Sizes& sizes = {});

/// How a step finds the window's value at (dx, dy).
enum class Lookup {
  exact,      ///< exp(-(dx^2 + dy^2) / b)
  distance,   ///< the table at sqrt(dx^2 + dy^2)
  estimated,  ///< the table at an estimate of that
  axes,       ///< the table at |dx| times that at |dy|
};

inline constexpr std::array<Lookup, 4> all_lookups{Lookup::exact, Lookup::distance, Lookup::estimated, Lookup::axes};
std::string name_of(Lookup lookup);

/// The entry for a distance. Samples lie on multiples of 1/256 cell (scan.hpp), so that a squared distance is exact in
/// float; the root and the product are rounded once each by any processor: all steps look up the same entry.
constexpr int entry_at(float distance, int per_cell = steps_per_cell) {
  return static_cast<int>(static_cast<float>(per_cell) * distance);
}

/// 123/128 of the longer side and 51/128 of the shorter: within 4 % of the distance, and exact in float.
constexpr float estimated_distance(float dx, float dy) {
  const float x = dx < 0 ? -dx : dx;
  const float y = dy < 0 ? -dy : dy;
  constexpr float longer = 123.0F / 128;
  constexpr float shorter = 51.0F / 128;
  return x > y ? longer * x + shorter * y : longer * y + shorter * x;
}

/// The value that a step finds with this look-up, without its rounding: the table's entries are in double here.
double window_value(Lookup lookup, double b, float dx, float dy, int per_cell = steps_per_cell);

/// The Fourier transform along an axis, integral of exp(-t^2 / b) cos(2 pi f t) over the window's reach; f in cycles
/// per cell.
double window_transform(double b, double f);

}  // namespace whorl::studies::gridding_2d
