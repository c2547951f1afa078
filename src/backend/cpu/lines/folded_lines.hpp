// Conversion of image lines along x to and from the form of the sums over a grid (grid_sums.hpp).
#pragma once

#include <complex>

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

/// Number of rows of a folded line of nx pixels: a cosine for each of the pixels 0 .. floor(nx/2) from the center, and a
/// sine for each but the first.
inline Index folded_rows(Index nx) { return nx / 2 * 2 + 1; }

/// Sums and differences of the pixels at x and -x of `lines` lines, as FoldedLines: sum_x f(x) exp(-i a x) is the sum
/// of cos(a x) [f(x) + f(-x)] and sin(a x) [-i (f(x) - f(-x))] over x >= 0; a pixel outside the line counts as zero.
template <class Real>
void fold_lines(const Context& ctx, const std::complex<Real>* image, Index lines, Index nx, double* folded);

/// The reverse, from sums over samples for each row, [line panel][real, imaginary][row][lane] with rows_stored rows: pixel x
/// is scale (C(x) + i S(x)), pixel -x is scale (C(x) - i S(x)). The lines y of a plane fill whole panels of `width` lanes.
template <class Real>
void unfold_lines(const Context& ctx, const double* sums, Index planes, Index ny, Index nx, Index width,
                  Index rows_stored, double scale, std::complex<Real>* image);

}  // namespace whorl::backend::cpu
