// Density compensation for any trajectory, by iteration.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

struct PipeMenonOptions {
  int iterations = 100;     ///< at most
  double tolerance = 2e-3;  ///< stop at this deviation
};

template <class Real>
struct PipeMenonResult {
  Array<Real> weights;     ///< [sample], sum = number of samples
  int iterations = 0;      ///< done
  double deviation = 0;    ///< root mean square over the samples of (C w - 1), weighted by w, before the last step
  bool converged = false;  ///< whether the deviation has come down to the tolerance
};

/// Density weights w that make the sampling look even through a convolution C of the samples with each other:
///
///   w <- w / (C w),   C = gridding of the samples to a grid and interpolation back,
///
/// until C w = 1 to the tolerance. C is a Kaiser-Bessel window of four steps of 1/(2 FOV), convolved with itself, so
/// that samples nearer to each other than k-space varies share their weight. k-space ends at its edge: samples at
/// k = 1/2 and -1/2 are no neighbors. The steps have Nesterov's momentum in the logarithms of the weights, which takes
/// a third to a tenth of the iterations.
///
/// C w converges, and with it the images; the weights themselves drift on, by some 10 % from the default tolerance to
/// a hundredth of it, along directions that C does not see: samples that share a neighborhood take weight from each
/// other. That drift makes no image better and lets more noise through, so that the deviation is what is stopped at.
///
/// Shapes    points [sample, dim], image_shape [(z,) y, x]
/// Memory    one grid of twice the image along each axis
/// Progress  one step per iteration
/// Throws    ShapeError, ValueError (the trajectory; options out of range)
/// Source    Pipe and Menon, Magn Reson Med 41 (1999) 179; Nesterov, Soviet Math Dokl 27 (1983) 372
template <class Real>
PipeMenonResult<Real> pipe_menon_density(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape,
                                         const PipeMenonOptions& options = {});

}  // namespace whorl
