// The alternating direction method of multipliers, with conjugate gradient for its inner systems.
#pragma once

#include "whorl/solver/proximal_problem.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

struct AdmmOptions : ProximalSolverOptions {
  double rho = 0.1;              ///< the first penalty parameter
  double relaxation = 1;         ///< from 1 to less than 2: x and y_t move by this times the iteration's change
  int inner_iterations = 10;     ///< of conjugate gradient, at most
  double inner_tolerance = 0.1;  ///< of its residual, relative to the right-hand side
  bool follows = true;           ///< whether rho follows the residuals, or sizes: of terms with versions, or `by_sizes`
  bool by_sizes = false;         ///< rho is 3 |y| / |W x|, over all terms, at iterations 4, 8, 16, ...
};

/// A self-adjoint, positive definite P^-1 for which P^-1 (M + Q) is nearer to the identity than M = H + rho sum_t W_t^H W_t
/// is, and a self-adjoint, positive semi-definite Q, which may be 0. Q is a proximal term: an iteration's x minimizes |x -
/// old x|_Q^2 / 2 beside the rest. So parts of x that M says little of do not move far in rough solutions; where x comes
/// to rest the term vanishes. `apply` and `add_proximal` neither wait for the device nor look at results.
template <class Real>
struct InnerPreconditioner {
  using Complex = std::complex<Real>;

  std::function<void(const Context&, double rho)> set;                                        ///< for that rho
  std::function<void(const Context&, ArrayRef<const Complex> x, ArrayRef<Complex> y)> apply;  ///< y = P^-1 x
  /// y += factor Q x
  std::function<void(const Context&, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> y)> add_proximal;
};

/// Minimizes f(x) + sum_t g_t(W_t x) from the given x. In the dual variables y_t = rho u_t an iteration is
///
///   y_t = prox_{rho g_t*}(y_t + rho W_t x)
///   x   = x - (H + rho sum_t W_t^H W_t)^-1 (H x - b + sum_t W_t^H (2 y_t - old y_t))
///
/// The inner system has the change of x as its solution, so that conjugate gradient starts warm from 0, and what it leaves
/// is not lost: the next gradient has it. rho follows the residuals, at first by factors up to 4, and changes less and
/// less. With a preconditioner the tolerance is that of sqrt(<r, P^-1 r>) for the residual r, and the system is that of M + Q.
///
/// Where the system is solved exactly, this is a proximal point iteration in (x, y_t), with or without Q, which a
/// relaxation up to 2 keeps convergent; around 1.6 it saves a third of the iterations. With a good preconditioner one or two
/// steps of conjugate gradient in each iteration are enough.
///
/// Terms with versions (random shifts) differ from iteration to iteration, and residuals do not fall below that. Then the
/// relaxation of iteration n is at most 30 / n, which averages over the versions: x converges to the fixed point of the
/// iterations' mean. The mean of proximal operators is that of the proximal average of the versions, which is near
/// their mean (Yu, NIPS 26 (2013) 458). rho is 40 |sum_t W_t^H y_t| / |x| there, set at iterations 4, 8, 16 and so on.
///
/// An iteration's distance to the solution falls as rho |W x|^2 + |y|^2 / rho does, so rho = |y| / |W x| is a size that suits the
/// solution. Functions with further unknowns take it times 3 (`by_sizes`). Their residuals balance at a rho 100 times too
/// large, since |b| is far above the |W^H y| of few singular values.
///
/// With `states` it goes on from a kept state, if there is one.
///
/// Shapes  f.b and x have the same shape
/// Cost    an application of H for each step of conjugate gradient, and one more at the start; admm_arrays() arrays of the
///         shape beside x and b, and the dual variables, twice with relaxation. f.largest is not used
/// Throws  ShapeError; ValueError (options out of range, values that are not finite, b and x that overlap)
/// Source  Boyd, Parikh, Chu, Peleato, Eckstein, Found Trends Mach Learn 3 (2011) 1; relative residuals: Wohlberg,
///         arXiv:1704.06209; relaxation: Eckstein, Bertsekas, Math Program 55 (1992) 293; rho by sizes: the bound of Boyd et al., appendix A; falling relaxation:
///         Robbins, Monro, Ann Math Stat 22 (1951) 400; Q:
///         Deng, Yin, J Sci Comput 66 (2016) 889
template <Precision Real>
WHORL_PUBLIC SolverReport admm(const Context& ctx, const QuadraticFunction<Real>& f,
                               const std::vector<DualTerm<Real>>& terms, ConvertedRef<std::complex<Real>> x,
                               const AdmmOptions& options = {}, const IterationCallback& callback = {},
                               const InnerPreconditioner<Real>& preconditioner = {}, DualStart<Real>* start = nullptr,
                               SolverStates<Real>* states = nullptr);

/// The gradient, the terms' sum now and before, and a scratch array; four arrays of conjugate gradient, and with a
/// preconditioner what it makes of the residual.
constexpr Index admm_arrays(bool preconditioned) { return preconditioned ? 9 : 8; }

}  // namespace whorl
