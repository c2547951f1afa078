// The innermost loops of gridding, for one tile of the grid and the samples in it.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "kernels/gridding.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// A sample in its tile: the first grid point of its window, counted from the tile's corner, and the place of the
/// sample between grid points as the polynomial's argument u in [-1, 1].
template <class Real, int Dim>
struct TileSample {
  std::array<std::int32_t, Dim> start;  // x first
  std::array<Real, Dim> u;
};

/// Up to this width polynomials have a degree of width + 1 at least, with zeros as coefficients, for loops that are unrolled.
inline constexpr int widest_padded_window = 6;

/// The window's polynomials in the form for the loops: rows of coefficients, padded with zeros so that whole vectors of
/// every target may be read; and the same with each value twice, for the real and the imaginary part of a point.
template <class Real>
struct WindowTable {
  static constexpr int fill = 16;  // numbers
  static constexpr int stride_of(int numbers) { return round_up(numbers, fill); }

  explicit WindowTable(const kernels::WindowPolynomial& window);

  int width;
  int degree;
  std::vector<Real> single;  ///< [degree + 1][stride_of(width)]
  std::vector<Real> twice;   ///< [degree + 1][stride_of(2 * width)]
};

/// The input of both directions.
template <class Real, int Dim>
struct TileJob {
  const TileSample<Real, Dim>* samples;
  Index count;
  const WindowTable<Real>* window;
  Index row;       // points from one row of the tile to the next
  Index plane;     // and from one plane to the next
  Index together;  // coils at each point of a tile, and of each sample: 1 or coils_together
};

/// Numbers past the end of a window's row that the loops may read (finite numbers, multiplied by zero) and write (zeros
/// added).
inline constexpr Index row_slack = WindowTable<float>::fill;

/// Adds a batch of samples to a batch of tiles. `values` are [batch][values_stride][together] in the order of the job's
/// samples; `tiles` are [batch][tile_stride numbers], pairs of real numbers.
template <class Real, int Dim>
using SpreadTile = void(const TileJob<Real, Dim>& job, const std::complex<Real>* values, Index values_stride,
                        Real* tiles, Index tile_stride, Index batch);
/// Reads a batch of samples from a batch of tiles.
template <class Real, int Dim>
using InterpolateTile = void(const TileJob<Real, Dim>& job, const Real* tiles, Index tile_stride,
                             std::complex<Real>* values, Index values_stride, Index batch);

/// The loops of the best SIMD target of this processor for windows of this width; the reference for wide windows.
template <class Real, int Dim>
struct TileLoops {
  SpreadTile<Real, Dim>* spread;
  InterpolateTile<Real, Dim>* interpolate;
};
TileLoops<float, 1> simd_loops_1d(int width, float);
TileLoops<double, 1> simd_loops_1d(int width, double);
TileLoops<float, 2> simd_loops_2d(int width, float);
TileLoops<double, 2> simd_loops_2d(int width, double);
TileLoops<float, 3> simd_loops_3d(int width, float);
TileLoops<double, 3> simd_loops_3d(int width, double);

/// Plain loops for any width: the reference for the SIMD loops, and the code for windows wider than theirs.
template <class Real, int Dim>
TileLoops<Real, Dim> reference_loops();

inline constexpr int max_simd_width = 16;

}  // namespace whorl::backend::cpu
