// The residual, penalty and degrees of freedom of a least squares image over a grid of lambda.
#pragma once

#include <vector>

#include "whorl/recon/lambda_search.hpp"
#include "whorl/recon/least_squares.hpp"

namespace WHORL_PUBLIC whorl {

/// The least squares image x of one lambda.
struct LambdaPoint {
  double lambda = 0;
  double residual = 0;  ///< |A x - d|^2
  double penalty = 0;   ///< |W x|^2
  double freedom = 0;   ///< T = tr(A H^-1 A^H / s), the degrees of freedom of the fit; NaN without probes
};

struct LambdaCurve {
  std::vector<LambdaPoint> points;  ///< in the order of lambda
  Index samples = 0;                ///< m, the number of complex values in d
  double eigenvalue = 0;            ///< s
  Index iterations = 0;             ///< of conjugate gradient, in total
  Index unfinished = 0;             ///< images that reached the limit of iterations before their tolerance
  Index unfinished_probes = 0;      ///< solves of probes that reached their limit
};

/// The curve of a model and data. The images are solved from the largest lambda down; each solve starts from an
/// extrapolation of the two solutions before.
///
/// The residual comes from a forward transform for each lambda, which costs half an iteration. The formula |d|^2 -
/// 2 s Re <x, b> + s <x, A^H A x / s> would save it. But its terms cancel down to the noise, while forward, adjoint and
/// normal of a Nufft agree only to its tolerance.
///
/// The trace is T = n - lambda tr(H^-1 W^H W) for n unknowns, since A^H A / s = H - lambda W^H W. It is estimated with
/// probes z with values 1, i, -1 and -i: E z^H M z = tr M. The probes are images, which have fewer values than the
/// data. They are the same for every lambda, so the estimate is as smooth as the trace. For W = 1 and one probe the
/// variance is the sum of the squared off-diagonal elements of M. It is at most the smaller of sum f^2 and sum (1 -
/// f)^2 over the filter factors f of A, so at most n / 2; more probes divide it by their number.
///
/// Accuracy  |W x| to 0.1 % (tested), and |A x - d|^2 to 0.2 % of lambda s |W x|^2, since the sum of both is minimal.
///           Images are solved until the estimate of sqrt(lambda) |W e|, e the error, is at most 0.3 % of
///           sqrt(lambda) |W x| (conjugate_gradient.hpp). Probes are solved to a residual of 1e-3, which leaves an
///           error of the trace of at most n / 1000, or to their limit of iterations
/// Shapes    data A.range()
/// Progress  one stage, one step for each lambda
/// Throws    ShapeError, ValueError (options out of range, fewer than 5 values of lambda, data that are all zero or not
///           finite), Cancelled
/// Source    trace: Girard, Numer Math 56 (1989) 1; Hutchinson, Commun Stat Simul Comput 19 (1990) 433
template <Precision Real>
WHORL_PUBLIC LambdaCurve lambda_curve(const Context& ctx, const RegularizedModel<Real>& model,
                                      ArrayRef<const std::complex<Real>> data, const LambdaSweepOptions& options = {});

}  // namespace whorl
