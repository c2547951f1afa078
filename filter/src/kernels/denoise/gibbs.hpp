// Kernel family: removal of Gibbs ringing by local sub-voxel shifts.
#pragma once

#include <complex>

#include "filter/src/kernels/kernel.hpp"
#include "filter/src/kernels/points/float_pixels.hpp"

namespace whorl::kernels {

/// Planes of a spectrum, indices from 0 as the FFT's.
struct GibbsPlanes {
  Index planes = 1;
  Index height = 1;
  Index width = 1;
  double scale = 1;
};

/// G = (1 + cos ky) / (2 + cos kx + cos ky): the part of a frequency that is corrected along x. It is 1 in an image of one
/// row, 0 in an image of one column, and 1/2 if both frequencies are the highest.
constexpr double gibbs_weight(const GibbsPlanes& planes, double cos_x, double cos_y) {
  if (planes.height == 1) return 1;
  if (planes.width == 1) return 0;
  const double sum = (1 + cos_x) + (1 + cos_y);
  return sum > 0 ? (1 + cos_y) / sum : 0.5;
}

/// Where the total variation of a shifted line is measured: differences `near` to `far` pixels to one side.
struct GibbsWindow {
  Index lines = 1;
  Index length = 1;
  Index near = 1;
  Index far = 3;
  double shift = 0;    ///< in pixels; the line's values are those at x + shift
  bool first = false;  ///< the first shift, which is not compared
};

/// along_x = scale G spectrum and spectrum = scale (1 - G) spectrum.
inline FilterKernel<void(const Context&, const GibbsPlanes&, const double* cos_x, const double* cos_y,
                         std::complex<double>* spectrum, std::complex<double>* along_x)>
    gibbs_split{"gibbs"};

/// to[plane][column][row] = from[plane][row][column]
inline FilterKernel<void(const Context&, Index planes, Index rows, Index columns, const std::complex<double>* from,
                         std::complex<double>* to)>
    transpose_planes{"transpose"};

/// to = factors spectrum, along lines.
inline FilterKernel<void(const Context&, Index lines, Index length, const std::complex<double>* factors,
                         const std::complex<double>* spectrum, std::complex<double>* to)>
    gibbs_shift{"gibbs"};

/// If a shifted line varies less beside a pixel than all earlier lines, its value, interpolated back, becomes the result.
inline FilterKernel<void(const Context&, const GibbsWindow&, const std::complex<double>* shifted, double* least,
                         std::complex<double>* result)>
    gibbs_choose{"gibbs"};

}  // namespace whorl::kernels
