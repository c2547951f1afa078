// Iterative density compensation for any trajectory.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

struct PipeMenonOptions {
  int iterations = 100;     ///< at most
  double tolerance = 2e-3;  ///< stop at this deviation
};

template <class Real>
struct PipeMenonResult {
  Array<Real> weights;     ///< [sample], sum = number of samples
  int iterations = 0;      ///< number of iterations
  double deviation = 0;    ///< root mean square over the samples of (C w - 1), weighted by w, before the last step
  bool converged = false;  ///< true if the deviation is at most the tolerance
};

/// Density weights w that make the sampling even after a convolution C of the samples with each other:
///
///   w <- w / (C w),   C = gridding of the samples to a grid and interpolation back,
///
/// until C w = 1 to the tolerance. C is a Kaiser-Bessel window of four steps of 1/(2 FOV), convolved with itself, so
/// samples that are closer than k-space varies share their weight. k-space is not periodic here: samples at k = 1/2 and
/// -1/2 are not neighbors. The steps use Nesterov's momentum in the logarithms of the weights, which reduces the number
/// of iterations 3 to 10 times.
///
/// C w converges, and so do the images. The weights themselves keep drifting, by about 10 % between the default
/// tolerance and a hundredth of it: samples in one neighborhood exchange weight, which C does not see. This drift
/// improves no image and adds noise, so the iteration stops by the deviation.
///
/// Shapes    points [sample, dim], image_shape [(z,) y, x]
/// Memory    one grid of twice the image along each axis
/// Progress  one step per iteration
/// Throws    ShapeError, ValueError (the trajectory; options out of range)
/// Source    Pipe and Menon, Magn Reson Med 41 (1999) 179; Nesterov, Soviet Math Dokl 27 (1983) 372
template <Precision Real>
WHORL_PUBLIC PipeMenonResult<Real> pipe_menon_density(const Context& ctx, ArrayRef<const double> points,
                                                      const Shape& image_shape, const PipeMenonOptions& options = {});

}  // namespace whorl
