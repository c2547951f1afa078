// The simplest gridding, with which the chapter compares.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace whorl::studies::quantitative_mri {

/// Spreads weighted samples over the eight nearest points of a grid of k-space that is as large as the image, linearly
/// along each axis, and transforms it: no oversampling, no correction for the window, one thread but for the FFT.
///
/// Shapes  points [sample, 3] in cycles per voxel, values and weights [sample], result [size, size, size]; on the host
Array<std::complex<double>> bilinear_gridding(const Context& ctx, ArrayRef<const double> points,
                                              ArrayRef<const double> weights,
                                              ArrayRef<const std::complex<double>> values, Index size);

}  // namespace whorl::studies::quantitative_mri
