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
  double deviation = 0;    ///< root mean square of what the equation lacks, weighted by w, before the last step
  bool converged = false;  ///< true if the deviation is at most the tolerance
};

/// Density weights w that make the sampling even after a convolution C of the samples with each other:
///
///   w <- (w + m a) / (C w + m),   C = gridding of the samples to a grid and interpolation back,   m = 1e-3,
///
/// until C w - 1 + m (1 - a / w) = 0 to the tolerance. The first step is that of Pipe and Menon, w <- w / (C w), and
/// gives a: the area around each sample, blurred by C. C is a Kaiser-Bessel window of four steps of 1/(2 FOV), convolved
/// with itself, so samples that are closer than k-space varies share their weight. k-space is not periodic here: samples
/// at k = 1/2 and -1/2 are not neighbors. The steps use Nesterov's momentum in the logarithms of the weights, which
/// reduces the number of iterations 3 to 10 times.
///
/// Without m, w is the least squares solution of C w = 1 that is not negative (Lee and Seung's iteration). C hardly sees
/// that samples of one neighborhood exchange weight, and most weights of a dense center become 0. With m, the iteration
/// nears the only minimum of w^T C w / 2 - sum w + m sum (w - a log w), where all weights are positive. On spokes,
/// spirals and kooshballs none is below 1/250 of its Voronoi cell, at any tolerance.
///
/// Shapes    points [sample, dim], image_shape [(z,) y, x]
/// Memory    one grid of twice the image along each axis
/// Progress  one step per iteration
/// Throws    ShapeError, ValueError (the trajectory; options out of range)
/// Source    Pipe and Menon, Magn Reson Med 41 (1999) 179; Nesterov, Soviet Math Dokl 27 (1983) 372; Lee and Seung,
///           Nature 401 (1999) 788
template <Precision Real>
WHORL_PUBLIC PipeMenonResult<Real> pipe_menon_density(const Context& ctx, ArrayRef<const double> points,
                                                      const Shape& image_shape, const PipeMenonOptions& options = {});

}  // namespace whorl
