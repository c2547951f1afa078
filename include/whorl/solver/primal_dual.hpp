// Primal-dual hybrid gradient, which uses the gradient of the quadratic function.
#pragma once

#include "whorl/solver/proximal_problem.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

struct PrimalDualOptions : ProximalSolverOptions {
  double sigma = 0.1;  ///< the first dual step; the primal step follows from it
};

/// Minimizes f(x) + sum_t g_t(W_t x) from the given x:
///
///   y_t = prox_{sigma g_t*}(y_t + sigma W_t x)
///   x   = x - tau (H x - b + sum_t W_t^H (2 y_t - old y_t)),   1/tau = L/2 + sigma sum_t |W_t|^2
///
/// sigma follows the residuals: it grows while the primal one is larger, and falls while the dual one is larger. The
/// changes become smaller, so that the iteration converges.
///
/// With `states` it goes on from a kept state, if there is one.
///
/// Shapes  f.b and x have the same shape
/// Cost    one application of H in each iteration; primal_dual_arrays arrays of the shape beside x and b, and the dual variables
/// Throws  ShapeError; ValueError (options out of range, values that are not finite, b and x that overlap)
/// Source  Condat, J Optim Theory Appl 158 (2013) 460, algorithm 3.2; Vu, Adv Comput Math 38 (2013) 667; Chambolle and
///         Pock, J Math Imaging Vis 40 (2011) 120; steps: Goldstein, Li, Yuan, Esser, Baraniuk, arXiv:1305.0546
template <Precision Real>
WHORL_PUBLIC SolverReport primal_dual(const Context& ctx, const QuadraticFunction<Real>& f,
                                      const std::vector<DualTerm<Real>>& terms, ConvertedRef<std::complex<Real>> x,
                                      const PrimalDualOptions& options = {}, const IterationCallback& callback = {},
                                      DualStart<Real>* start = nullptr, SolverStates<Real>* states = nullptr);

/// The gradient, the terms' sum now and before, a scratch array, and the step.
inline constexpr Index primal_dual_arrays = 5;

}  // namespace whorl
