// The passes of the padded FFT over blocks of lines and of columns.
#pragma once

#include <complex>

#include "backend/cpu/lines/line_fft.hpp"

namespace whorl::backend::cpu {

/// Lines or columns that one call takes: a multiple of the lanes of every target.
inline constexpr Index block_lines = 16;

/// Pixels on one axis of the grid: pixel i is point i - half modulo the grid's extent, fft.length.
template <class Real>
struct PaddedAxis {
  const LineFft<Real>& fft;
  Index image;
  Index half;
};

/// Numbers of scratch memory that a call needs.
template <class Real>
Index padded_lines_scratch(const LineFft<Real>& fft) {
  return 2 * block_lines * fft.length;
}

/// Image lines of an axis whose points are neighbors in memory.
template <class Real>
struct PaddedLine {
  std::complex<Real>* image;
  std::complex<Real>* grid;
  Real factor;  ///< of the other axes
};

/// grid = DFT(pad(factor * image)) for up to block_lines lines; the row is filled with zeros up to `row`. `together`, 1
/// or coils_together, is the number of neighbors in the list whose grids are interleaved point by point.
void forward_lines(const PaddedAxis<float>& axis, const float* factor, const PaddedLine<float>* lines, Index count,
                   Index together, Index row, float* scratch);
void forward_lines(const PaddedAxis<double>& axis, const double* factor, const PaddedLine<double>* lines, Index count,
                   Index together, Index row, double* scratch);
/// image = factor * crop(inverse DFT(grid))
void adjoint_lines(const PaddedAxis<float>& axis, const float* factor, const PaddedLine<float>* lines, Index count,
                   Index together, float* scratch);
void adjoint_lines(const PaddedAxis<double>& axis, const double* factor, const PaddedLine<double>* lines, Index count,
                   Index together, double* scratch);

/// block_lines columns side by side at `data`, their points `stride` apart; pixels lie at their grid points.
void forward_columns(const PaddedAxis<float>& axis, std::complex<float>* data, Index stride, float* scratch);
void forward_columns(const PaddedAxis<double>& axis, std::complex<double>* data, Index stride, double* scratch);
void adjoint_columns(const PaddedAxis<float>& axis, std::complex<float>* data, Index stride, float* scratch);
void adjoint_columns(const PaddedAxis<double>& axis, std::complex<double>* data, Index stride, double* scratch);
/// crop(inverse DFT(spectrum * DFT(pad))) in place; `spectrum` is [place][column], in the order of axis.fft.
void convolve_columns(const PaddedAxis<float>& axis, std::complex<float>* data, Index stride, const float* spectrum,
                      float* scratch);
void convolve_columns(const PaddedAxis<double>& axis, std::complex<double>* data, Index stride, const double* spectrum,
                      double* scratch);

}  // namespace whorl::backend::cpu
