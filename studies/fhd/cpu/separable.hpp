// The loops of the separable sums that are written in vectors.
#pragma once

#include <array>

#include "whorl/core/view.hpp"

namespace whorl::studies::fhd::cpu {

/// Samples that are summed before the next: a chunk's phases along a tile of x stay in the first level of the cache.
inline constexpr std::size_t chunk_samples = 128;

/// Places along x that are summed at a time: rows of tables and sums are multiples of it.
Index tile_columns();

/// cos and sin of 2 pi k place for a chunk of samples k.
void fill_phases_at(const float* k, Index place, float* cosine, float* sine);

/// cos and sin of 2 pi k place for places from `first` on, a multiple of a tile's.
void fill_phases_along(float k, Index first, Index places, float* cosine, float* sine);

/// Mu exp(2 pi i (k_y y + k_z z)) of a chunk of samples on two lines (z, y).
struct TwoLines {
  std::array<std::array<float, chunk_samples>, 2> real;
  std::array<std::array<float, chunk_samples>, 2> imag;
};

/// Fills one line of them from phases along y and z and from Mu, each [cosines and sines, or real and imaginary parts,
/// sample].
void fill_line(const float* y, const float* z, const float* mu, float* real, float* imag);

/// The sums along two lines, `width` each.
struct LineSums {
  std::array<float*, 2> real;
  std::array<float*, 2> imag;
};

/// Adds a chunk of samples to two lines; x [cosines and sines, sample, width].
void add_lines(const TwoLines& lines, const float* x, Index width, const LineSums& sums);

}  // namespace whorl::studies::fhd::cpu
