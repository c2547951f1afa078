// What lambda does to a least squares image: fit, penalty and degrees of freedom over a grid of lambda.
#pragma once

#include <cstdint>
#include <vector>

#include "whorl/recon/least_squares.hpp"

namespace whorl {

struct LambdaSweepOptions {
  double lowest = 1e-5;
  double highest = 1;
  int per_decade = 4;         ///< lambda, evenly in its logarithm
  int probes = 1;             ///< random vectors for the degrees of freedom; 0: not estimated
  std::uint64_t seed = 1;     ///< of the probes
  int iterations = 1000;      ///< of conjugate gradient for each image, at most
  int probe_iterations = 50;  ///< for each probe, at most; each goes on from that of the lambda above
};

/// The least squares image x of one lambda.
struct LambdaPoint {
  double lambda = 0;
  double residual = 0;  ///< |A x - d|^2
  double penalty = 0;   ///< |W x|^2
  double freedom = 0;   ///< tr(A H^-1 A^H / s): how many complex numbers the data decide; NaN without probes
};

struct LambdaCurve {
  std::vector<LambdaPoint> points;  ///< in the order of lambda
  Index samples = 0;                ///< m, complex numbers in d
  double eigenvalue = 0;            ///< s
  Index iterations = 0;             ///< of conjugate gradient, all together
  Index unfinished = 0;             ///< images that reached the limit of iterations before their tolerance
  Index unfinished_probes = 0;      ///< solutions of probes that did
};

/// The curve of a model and data, solved from the highest lambda downward, each from what the two solutions above it
/// point to.
///
/// The residual comes from a forward transform for each lambda, half the cost of one iteration: |d|^2 - 2 s Re <x, b> +
/// s <x, A^H A x / s> would save it, but cancels down to the noise, while forward, adjoint and normal agree to the
/// tolerance of a Nufft only.
///
/// The trace is n - lambda tr(H^-1 W^H W), n the unknowns, since A^H A / s = H - lambda W^H W, and is estimated from
/// probes z of numbers 1, i, -1 and -i: E z^H M z = tr M. They lie in the image, where there are fewer numbers than
/// data, and the same for every lambda, so that the estimate is as smooth as the trace. For W = 1 its variance is the
/// sum of the squares of M's elements off the diagonal, at most the lesser of sum f^2 and sum (1 - f)^2 over the filter
/// factors f of A, so at most n / 2, over the number of probes.
///
/// Accuracy  |W x| to 0.1 % (tested), and |A x - d|^2 to 0.2 % of lambda s |W x|^2, since the sum of both is at its
///           least: images are solved until sqrt(lambda) |W e| of the error e is estimated to be at most 0.3 % of
///           sqrt(lambda) |W x| (conjugate_gradient.hpp). Probes are solved to a residual of 1e-3, which leaves an
///           error of the trace of n / 1000 at most, or to their limit of iterations
/// Shapes    data A.range()
/// Progress  one stage, one step for each lambda
/// Throws    ShapeError, ValueError (options out of range, fewer than 5 lambda, data of zeros or that are not finite),
///           Cancelled
/// Source    trace: Girard, Numer Math 56 (1989) 1; Hutchinson, Commun Stat Simul Comput 19 (1990) 433
template <class Real>
LambdaCurve lambda_curve(const Context& ctx, const RegularizedModel<Real>& model,
                         ArrayRef<const std::complex<Real>> data, const LambdaSweepOptions& options = {});

}  // namespace whorl
