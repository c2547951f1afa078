// Exact sums on a grid in single precision: the product of matrices, in vectors.
#pragma once

#include <array>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// Samples that are summed before the next: a chunk's phases along a tile of x stay in the first level of the cache.
inline constexpr std::size_t single_samples = 128;

/// Places along x that are summed at a time: rows of tables and sums are multiples of it, and of 8.
Index single_columns();

/// A chunk's values times their phases along y and z, on two lines (z, y).
struct TwoLines {
  std::array<std::array<float, single_samples>, 2> real;
  std::array<std::array<float, single_samples>, 2> imag;
};

/// Fills one line of them from phases along y and z and from the values, each [cosines and sines, or real and imaginary
/// parts, sample].
void fill_line(const float* y, const float* z, const float* values, float* real, float* imag);

/// The sums along two lines, `width` each.
struct LineSums {
  std::array<float*, 2> real;
  std::array<float*, 2> imag;
};

/// Sums a chunk of samples along two lines; x [cosines and sines, sample, width].
void sum_lines(const TwoLines& lines, const float* x, Index width, const LineSums& sums);

}  // namespace whorl::backend::cpu
