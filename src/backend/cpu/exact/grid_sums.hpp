// The sums between samples and the pixels of a grid as products of real matrices, in double precision, by SIMD.
//
// exp(-2 pi i k.r) is a product of one factor per axis. Along x the factors of the pixels x and -x are conjugates. So
// the sum over a line needs only cosines and sines, which multiply the sum and the difference of the two pixels. A line
// of n pixels takes n products of a real factor with a complex number (the rows of `FoldedLines`), half the work of
// complex factors.
#pragma once

#include <array>
#include <cstddef>

namespace whorl::backend::cpu {

inline constexpr std::size_t forward_samples = 96;   ///< samples of a block of the forward transform: whole panels
inline constexpr std::size_t adjoint_samples = 192;  ///< of the adjoint: the length of the products' sums
inline constexpr std::size_t row_group = 4;          ///< rows of a tile of the product

/// The columns of a tile of the product: the samples (forward) or lines (adjoint) that are processed together. Three
/// vectors of doubles, 3 to 24.
std::size_t panel_width();

/// Positions k along one axis, split so that the product of the leading part and a pixel is exact: turns[j] is k to the
/// 24 bits of a float, rest[j] = k - turns[j].
struct AxisPositions {
  const double* leading;
  const double* rest;
};

/// For pixels first, first + 1, ... : cosines[i][j] = cos(2 pi k_j r_i) and the sines, for `columns` samples, which are
/// padded to a multiple of 8; `stride` lies between rows.
void phase_rows(const AxisPositions& k, std::size_t columns, std::ptrdiff_t first, std::size_t rows, double* cosines,
                double* sines, std::size_t stride);

/// Cosines and sines for one sample: a row of pixels, padded to a multiple of 8.
void phase_row(double leading, double rest, std::ptrdiff_t first, std::size_t pixels, double* cosines, double* sines);

/// Lines of an image along x, folded: [pair of lines][real, imaginary of the first, of the second][row], with rows
/// 0 .. half for the cosines of pixels 0 .. half, then 1 .. half for the sines. If the last line has no partner, its
/// partner is zero.
struct FoldedLines {
  const double* values;
  std::size_t rows;
  std::size_t lines;
};

/// Factors of the samples of a forward block, in panels: x [panel][row][lane]; y and z [panel][pixel][cosines,
/// sines][lane].
struct BlockFactors {
  const double* x;
  const double* y;
  const double* z;
  std::size_t ny;
  std::size_t nz;
};

/// real[j] + i imag[j] = sum over all pixels of value exp(-2 pi i k_j.r) for the samples of a block. Line l lies at y =
/// l % ny, z = l / ny.
void sum_over_pixels(const BlockFactors& factors, const FoldedLines& image, double* real, double* imag);

/// A panel of lines along x at one z, for adjoint_samples samples: the samples times their factors along y and z,
/// without the factor along x.
struct LinePanel {
  const double* y_cosines;  ///< [sample][y_stride], from the panel's first y on
  const double* y_sines;
  std::size_t y_stride;
  const double* z_cosine;  ///< [sample]
  const double* z_sine;
  const double* real;  ///< the samples' values
  const double* imag;
};

/// sums[real, imaginary][row][lane] += sum over samples of x_rows[row][sample] times value exp(+2 pi i (ky y + kz z)).
/// rows is a multiple of row_group.
void add_to_lines(const LinePanel& panel, const double* x_rows, std::size_t rows, double* sums);

}  // namespace whorl::backend::cpu
