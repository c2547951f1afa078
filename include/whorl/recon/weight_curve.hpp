// The choice of the weights of regularizers from the data.
#pragma once

#include <functional>
#include <vector>

#include "whorl/recon/lambda_curve.hpp"
#include "whorl/recon/lambda_search.hpp"
#include "whorl/recon/regularized_least_squares.hpp"

namespace WHORL_PUBLIC whorl {

/// Weights on a grid, from high to low: residual and degrees of freedom of their images, for choose_lambda. `penalties`
/// makes the terms of a weight. In each point, `lambda` is the weight, and `penalty` the square of the terms' sum over it. Its
/// `freedom` is T = Re <n, A (x(d + e n) - x(d))> / e for noise n, an estimate of the divergence of A x(d). Its e is a tenth
/// of the residual of a sample, or up to twice that.
///
/// Each weight starts from the images of the one above. x(d) and x(d + e n) are solved as one problem, so that both make the
/// same steps and what they lack of convergence drops out of their difference. A solve ends when m log G (gcv_values), or the
/// residual for the discrepancy principle, hardly changes any more: it is in the unit of the noise's energy, in which T is the
/// part of the error that noise has. The grid ends two weights below the choice, of at least five.
///
/// Accuracy  docs/howto/regularization.md, Weights: errors of the images beside the least of thirteen weights
/// Shapes    b = A^H d / s: A.domain(); data d: A.range()
/// Progress  one stage, one step for each weight
/// Throws    ShapeError, ValueError (options out of range, fewer than 5 weights), Cancelled
/// Source    Ramani, Blu, Unser, IEEE Trans Image Process 17 (2008) 1540; for MRI: Ramani, Liu, Rosen, Nielsen, Fessler,
///           IEEE Trans Image Process 21 (2012) 3659
template <Precision Real>
WHORL_PUBLIC LambdaCurve weight_curve(const Context& ctx, const RegularizedModel<Real>& model,
                                      const std::function<std::vector<ProximalPenalty<Real>>(double weight)>& penalties,
                                      const RegularizedOptions& options, ArrayRef<const std::complex<Real>> b,
                                      ArrayRef<const std::complex<Real>> data, const LambdaSearchOptions& search);

/// Cross-validation over weights from a hundredth to 30 times `medium`, the one that is 1 in units of the noise. Without it, 0, from
/// 1e-5 to 0.1.
WHORL_PUBLIC LambdaSearchOptions usual_weight_search(double medium);

}  // namespace whorl
