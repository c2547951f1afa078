// FISTA: an accelerated proximal gradient method.
#pragma once

#include "whorl/solver/proximal_problem.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

/// Minimizes f(x) + g(x) from the given x by accelerated proximal gradient steps of length 1/f.largest. The momentum
/// restarts where it points uphill (Re <z - x_new, x_new - x> > 0), so that the rate is linear where f is strongly convex.
///
/// Where g has a version for each pass, the steps never come to rest, and momentum adds up what differs between them. It is
/// then at most 0.9: for wavelets with random shifts the function, as its mean over shifts, ends 0.2 to 1 % lower.
///
/// With `states` it goes on from a kept state, if there is one.
///
/// Shapes  f.b and x have the same shape
/// Cost    one application of H in each iteration; five arrays of the shape
/// Throws  ShapeError; ValueError (options out of range, values that are not finite, b and x that overlap)
/// Source  Beck and Teboulle, SIAM J Imaging Sci 2 (2009) 183; restart: O'Donoghue and Candes, Found Comput Math 15
///         (2015) 715
template <Precision Real>
WHORL_PUBLIC SolverReport fista(const Context& ctx, const QuadraticFunction<Real>& f, const ProximalStep<Real>& g,
                                ConvertedRef<std::complex<Real>> x, const ProximalSolverOptions& options = {},
                                const IterationCallback& callback = {}, SolverStates<Real>* states = nullptr);

}  // namespace whorl
