// The choice of lambda from the data.
#pragma once

#include <string>
#include <vector>

#include "whorl/core/note.hpp"
#include "whorl/recon/lambda_curve.hpp"
#include "whorl/recon/lambda_search.hpp"

namespace WHORL_PUBLIC whorl {

struct LambdaChoice {
  LambdaMethod method = LambdaMethod::gcv;
  double lambda = 0;
  double noise_energy = 1;           ///< used by the discrepancy principle
  std::string reason;                ///< sentences: the result and why
  LambdaCurve curve;                 ///< without points if the method needs no curve
  NoteKind kind = NoteKind::answer;  ///< what the reason is as a note
};

/// G = m |A x - d|^2 / (m - T)^2 of each point, T its degrees of freedom: up to a constant, the error with which the
/// fit predicts an unknown sample. NaN if T is unknown or at least m.
/// Source  Golub, Heath, Wahba, Technometrics 21 (1979) 215
std::vector<double> gcv_values(const LambdaCurve& curve);

/// |A x - d|^2 / (m - T) of each point: the noise energy per sample, if the fit removed its T degrees of freedom from
/// the noise and lost nothing of the object. NaN as in gcv_values.
/// Source  Hall, Titterington, J R Stat Soc B 49 (1987) 184
std::vector<double> noise_estimates(const LambdaCurve& curve);

/// Curvature of (log |A x - d|, log |W x|), natural logarithms, positive at the corner. NaN where the image no longer
/// changes with lambda, so the curve has no direction.
///
/// The images x minimize |A x - d|^2 + lambda s |W x|^2, so d|A x - d|^2 = -lambda s d|W x|^2. The slope of the curve
/// is therefore -q, q = |A x - d|^2 / (lambda s |W x|^2). The curvature needs only one derivative, p = -d log |W x| / d
/// log lambda, which is taken from a cubic spline:  q^2 (1 - 2 p (1 + 1/q)) / (p (1 + q^2)^(3/2)).
///
/// Source  Hansen, O'Leary, SIAM J Sci Comput 14 (1993) 1487
std::vector<double> l_curve_curvatures(const LambdaCurve& curve);

/// Chooses lambda on a curve. Between its points it interpolates the logarithm of the method's quantity by a cubic
/// spline over log lambda. G is flat at its minimum, so one more solution there would not improve the image.
///
/// gcv          the lambda of the least G. If it is at an end of the grid, the reason says so
/// discrepancy  the largest lambda with |A x - d|^2 equal to the noise energy times m: Morozov's principle. A perfect
///              fit has the smaller residual m - T, but every small lambda reaches that level within the residual's
///              own variance, so it does not single one out. The price is slightly too much smoothing
/// l_curve      the lambda of the largest curvature within the grid
///
/// Throws  ValueError (the method `spectrum`, which has no curve; no degrees of freedom (gcv); a residual that does not
///         cross the noise (discrepancy); no corner (l_curve); a noise energy that is not above 0)
/// Source  Morozov, Soviet Math Dokl 7 (1966) 414; Hansen, SIAM Rev 34 (1992) 561; Golub, Heath, Wahba, Technometrics
///         21 (1979) 215
LambdaChoice choose_lambda(LambdaCurve curve, LambdaMethod method, double noise_energy = 1);

/// choose_lambda from a model and data: computes the curve, with probes if the method needs them, and chooses. The
/// curve and the noise energy are those of the data times `unit`. Throws as lambda_curve and choose_lambda.
template <Precision Real>
WHORL_PUBLIC LambdaChoice choose_lambda(const Context& ctx, const RegularizedModel<Real>& model,
                                        ArrayRef<const std::complex<Real>> data, const LambdaSearchOptions& options,
                                        double unit = 1);

}  // namespace whorl
