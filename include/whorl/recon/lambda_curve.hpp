// What lambda does to a least squares image: fit, penalty and degrees of freedom over a grid of lambda.
#pragma once

#include <cstdint>
#include <vector>

#include "whorl/recon/least_squares.hpp"

namespace whorl {

struct LambdaSweepOptions {
  double lowest = 1e-5;
  double highest = 1;
  int per_decade = 4;      ///< lambda, evenly in its logarithm
  int probes = 1;          ///< random vectors for the degrees of freedom; 0: not estimated
  std::uint64_t seed = 1;  ///< of the probes
  int iterations = 50;     ///< of conjugate gradient for each image and probe, at most; each goes on from that above it
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
  Index unfinished = 0;             ///< solutions that reached the limit of iterations before their tolerance
};

/// The curve of a model and data, solved from the highest lambda downward, each from the solution above it.
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
/// Accuracy  images are solved to a relative residual of 0.01 sqrt(lambda), 1e-5 at least: with W = 1 the function
///           |A x - d|^2 / s + lambda |x|^2 is then above its least value by r^H H^-1 r <= 1e-4 |A^H d / s|^2 at most;
///           probes to one of 1e-3, which leaves an error of the trace of n / 1000 at most
/// Shapes    data A.range()
/// Progress  one stage, one step for each lambda
/// Throws    ShapeError, ValueError (options out of range, fewer than 5 lambda, data of zeros or that are not finite),
///           Cancelled
/// Source    trace: Girard, Numer Math 56 (1989) 1; Hutchinson, Commun Stat Simul Comput 19 (1990) 433
template <class Real>
LambdaCurve lambda_curve(const Context& ctx, const RegularizedModel<Real>& model,
                         ArrayRef<const std::complex<Real>> data, const LambdaSweepOptions& options = {});

}  // namespace whorl
