// The weight of the penalty chosen by the data themselves.
#pragma once

#include <string>
#include <vector>

#include "whorl/recon/lambda_curve.hpp"

namespace whorl {

enum class LambdaMethod {
  gcv,          ///< generalized cross-validation: needs no noise level
  discrepancy,  ///< the residual is that of the noise, which must be E|n|^2 = 1 a sample: prewhitened data
  l_curve,      ///< the corner of log |W x| over log |A x - d|: needs no noise level
};

/// Names: gcv, discrepancy, lcurve.
std::string to_string(LambdaMethod method);

struct LambdaSearchOptions {
  LambdaMethod method = LambdaMethod::gcv;
  double noise_energy = 1;  ///< discrepancy: E|n|^2 of a sample, times a factor of safety where one is wanted
  LambdaSweepOptions sweep{};
};

struct LambdaChoice {
  LambdaMethod method = LambdaMethod::gcv;
  double lambda = 0;
  double noise_energy = 1;  ///< that the discrepancy principle went by
  std::string reason;       ///< what was found, in sentences for people
  LambdaCurve curve;
};

/// G = m |A x - d|^2 / (m - T)^2 of each point, T its degrees of freedom: what the fit would miss of a sample that it
/// does not know, but for a constant. NaN where T is not known or takes all samples. Source  Golub, Heath, Wahba,
/// Technometrics 21 (1979) 215
std::vector<double> gcv_values(const LambdaCurve& curve);

/// |A x - d|^2 / (m - T) of each point: the noise energy of a sample if the fit took no more than its degrees of
/// freedom T from the noise, and lost nothing of the object. NaN as above. Source  Hall, Titterington, J R Stat Soc B
/// 49 (1987) 184
std::vector<double> noise_estimates(const LambdaCurve& curve);

/// Curvature of (log |A x - d|, log |W x|), natural logarithms, above 0 where the curve turns as at its corner. NaN
/// where the image no longer changes with lambda, so that the curve stands still.
///
/// The images x have the least |A x - d|^2 + lambda s |W x|^2, from which d|A x - d|^2 = -lambda s d|W x|^2 follows. So
/// the slope of the curve is -q, q = |A x - d|^2 / (lambda s |W x|^2), and the curvature takes one derivative alone, p
/// = -d log |W x| / d log lambda, that of a cubic spline:  q^2 (1 - 2 p (1 + 1/q)) / (p (1 + q^2)^(3/2)).
///
/// Source  Hansen, O'Leary, SIAM J Sci Comput 14 (1993) 1487
std::vector<double> l_curve_curvatures(const LambdaCurve& curve);

/// Chooses lambda on a curve, between its points on cubic splines over log lambda of the logarithms of what the method
/// compares: G is flat at its least value, so that no further solution of the system would improve the image.
///
/// gcv          the least G. At an end of the grid it is taken, and said
/// discrepancy  the largest lambda at which |A x - d|^2 is the noise energy times m: Morozov's principle. The residual
/// of
///              a fit is smaller, m - T for a perfect one, but that level every small lambda meets to the accuracy of
///              the residual's own variance, so that it does not single one out; the price is some smoothing too much
/// l_curve      the largest curvature within the grid
///
/// Throws  ValueError where the method has no answer: no degrees of freedom (gcv), a residual that does not pass the
/// noise
///         (discrepancy), no corner (l_curve); a noise energy that is not above 0
/// Source  Morozov, Soviet Math Dokl 7 (1966) 414; Hansen, SIAM Rev 34 (1992) 561; Golub, Heath, Wahba, Technometrics
///         21 (1979) 215
LambdaChoice choose_lambda(LambdaCurve curve, LambdaMethod method, double noise_energy = 1);

/// The same from a model and data: sweeps, with probes where the method needs them, and chooses. Throws as both.
template <class Real>
LambdaChoice choose_lambda(const Context& ctx, const RegularizedModel<Real>& model,
                           ArrayRef<const std::complex<Real>> data, const LambdaSearchOptions& options);

}  // namespace whorl
