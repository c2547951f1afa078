// FISTA: an accelerated proximal gradient method.
#pragma once

#include "whorl/solver/proximal_problem.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

/// Minimizes f(x) + g(x) from the given x by accelerated proximal gradient steps of length 1/f.largest. The momentum
/// restarts where it points uphill (Re <z - x_new, x_new - x> > 0), so that the rate is linear where f is strongly convex.
///
/// Where g has a version for each pass (random shifts), the steps never come to rest. Then x is a mean of the iterates x_i,
///
///   x = (1 - w) x + w x_n,    w = 9 / (n + 8)
///
/// in which about the last ninth of the iterations counts, and the momentum is at most 0.97, since it adds up what differs
/// between versions. Its residual is that of the means: |q| / |b|, where q is the same mean of H x_i - b + u_i, u_i a subgradient of
/// the version of pass i at x_i. What differs between versions vanishes from it as iterations go on. The cost is the mean of those of
/// the iterates, each with the version of its pass.
///
/// With `states` it goes on from a kept state, if there is one.
///
/// Shapes  f.b and x have the same shape
/// Cost    one application of H in each iteration; fista_arrays() arrays of the shape beside x and b
/// Throws  ShapeError; ValueError (options out of range, values that are not finite, b and x that overlap)
/// Source  Beck and Teboulle, SIAM J Imaging Sci 2 (2009) 183; restart: O'Donoghue and Candes, Found Comput Math 15
///         (2015) 715; mean of the iterates: Shamir and Zhang, ICML, PMLR 28 (2013) 71, section 4, eta = 8
template <Precision Real>
WHORL_PUBLIC SolverReport fista(const Context& ctx, const QuadraticFunction<Real>& f, const ProximalStep<Real>& g,
                                ConvertedRef<std::complex<Real>> x, const ProximalSolverOptions& options = {},
                                const IterationCallback& callback = {}, SolverStates<Real>* states = nullptr);

/// The iterate before, the momentum's point and three gradients; with versions also the iterate, beside the mean of them in
/// x, and the mean of the subgradients.
constexpr Index fista_arrays(bool has_versions) { return has_versions ? 7 : 5; }

}  // namespace whorl
