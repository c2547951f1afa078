// Density compensation for any trajectory, by iteration.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

struct PipeMenonOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-3;  ///< stop when the mean change of the weights in an iteration is below this part of them
};

template <class Real>
struct PipeMenonResult {
  Array<Real> weights;   ///< [sample], sum = number of samples
  int iterations = 0;    ///< done
  double deviation = 0;  ///< root mean square over the samples of (C w - 1), weighted by w: 0 is perfect
};

/// Density weights w that make the sampling look even through a convolution C of the samples with each other:
///
///   w <- w / (C w),   C = gridding of the samples to a grid and interpolation back,
///
/// until C w = 1. C is a Kaiser-Bessel window of four steps of 1/(2 FOV), convolved with itself, so that samples nearer
/// to each other than k-space varies share their weight.
///
/// Shapes    points [sample, dim], image_shape [(z,) y, x]
/// Memory    one grid of twice the image along each axis
/// Progress  one step per iteration
/// Throws    ShapeError, ValueError (the trajectory; options out of range)
/// Source    Pipe and Menon, Magn Reson Med 41 (1999) 179
template <class Real>
PipeMenonResult<Real> pipe_menon_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                         const PipeMenonOptions& options = {});

}  // namespace whorl
