// Conjugate gradient for Hermitian, positive semi-definite systems.
#pragma once

#include <complex>
#include <concepts>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "whorl/core/array.hpp"
#include "whorl/solver/solver_report.hpp"
#include "whorl/solver/solver_states.hpp"

namespace WHORL_PUBLIC whorl {

struct ConjugateGradientOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-6;  ///< stop when |b - A x| <= tolerance |b|
  double error = 0;  ///< also stop when sqrt(e^H A e) for the error e of x is estimated below this; 0: no estimate
};

/// z = A x for arrays of one shape; z is overwritten. Any function, or an Operator (whorl/op/operator.hpp), such as
/// A.normal() for the least squares problem of A.
template <class Real>
using NormalFunction =
    std::function<void(const Context&, ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z)>;

/// z_i = A x_i for some of several systems: x and z are [n, ...], and z is overwritten. `systems` has the n numbers of
/// the systems.
template <class Real>
using NormalOfSystems = std::function<void(const Context&, std::span<const Index> systems,
                                           ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z)>;

/// Called after each iteration with the number of iterations done and the relative residual: callback(int, double).
/// If it returns false, the solver stops with StopReason::callback. If it returns true or has no result, the solver
/// goes on.
class IterationCallback {
 public:
  /// No callback.
  IterationCallback() = default;
  // NOLINTBEGIN(google-explicit-constructor): functions are passed where a callback is asked for
  template <std::invocable<int, double> Function>
  requires(!std::same_as<Function, IterationCallback> &&
           std::same_as<std::invoke_result_t<Function&, int, double>, bool>) IterationCallback(Function function)
      : function_(std::move(function)) {}
  template <std::invocable<int, double> Function>
  requires(std::is_void_v<std::invoke_result_t<Function&, int, double>>) IterationCallback(Function function) {
    if (is_empty(function)) return;
    function_ = [function = std::move(function)](int iteration, double residual) mutable {
      function(iteration, residual);
      return true;
    };
  }
  // NOLINTEND(google-explicit-constructor)

  explicit operator bool() const { return static_cast<bool>(function_); }
  bool operator()(int iteration, double residual) const { return function_(iteration, residual); }

 private:
  template <class Function>
  static bool is_empty(const Function&) {
    return false;
  }
  template <class Signature>
  static bool is_empty(const std::function<Signature>& function) {
    return !function;
  }

  std::function<bool(int, double)> function_;
};

/// Solves A x = b for Hermitian positive semi-definite A, starting from x, and leaves the solution in x.
///
/// Residuals are those of the recurrence, relative to |b|. A zero b gives x = 0 at once. The solver stops with
/// `breakdown` when rounding makes p^H A p <= 0, and keeps the current x. The first residual is that of the start:
/// |b - A x| / |b|, which is 1 for x = 0.
///
/// Each step reduces e^H A e by (r^H r)^2 / p^H A p. The estimate of e^H A e is the sum of the last eight of these: the
/// value eight steps ago less the present value. So it never exceeds the value eight steps ago. The present value is
/// below the estimate if eight steps halve e^H A e. In the worst case, for a condition number c^2 of A, it is up to
/// c/32 times the estimate. On a GPU, where steps are queued ahead, x may be a few steps further than the report
/// states.
///
/// Shapes  b and x have the same shape
/// Throws  ShapeError; ValueError (negative options, a value of A x that is not finite, b and x that overlap)
/// Source  Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49 (1952) 409; the estimate: their theorem 6:1, and Strakos,
///         Tichy, Electron. Trans. Numer. Anal. 13 (2002) 56
template <Precision Real>
WHORL_PUBLIC SolverReport conjugate_gradient(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                                             ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                                             const ConjugateGradientOptions& options = {},
                                             const IterationCallback& callback = {});

/// Solves A x_i = b_i for several systems together. A is applied to all of them at once: z_i = A x_i. Each system has
/// its own steps, stop and report, so its solution is that of conjugate_gradient. The callback gets the largest
/// residual.
///
/// Shapes  b and x have the same shape, [system, ...]
/// Throws  as conjugate_gradient
template <Precision Real>
WHORL_PUBLIC std::vector<SolverReport> conjugate_gradients(const Context& ctx,
                                                           const std::type_identity_t<NormalFunction<Real>>& A,
                                                           ArrayRef<const std::complex<Real>> b,
                                                           ConvertedRef<std::complex<Real>> x,
                                                           const ConjugateGradientOptions& options = {},
                                                           const IterationCallback& callback = {});

/// conjugate_gradients whose systems drop out once they have ended: A is applied to the others alone, which may change places in memory
/// meanwhile. On a GPU some drop out at a time, at least a quarter of those that are left.
/// With `states` it goes on from a kept state, if there is one.
template <Precision Real>
WHORL_PUBLIC std::vector<SolverReport> conjugate_gradients(
    const Context& ctx, const std::type_identity_t<NormalOfSystems<Real>>& A, ArrayRef<const std::complex<Real>> b,
    ConvertedRef<std::complex<Real>> x, const ConjugateGradientOptions& options = {},
    const IterationCallback& callback = {}, SolverStates<Real>* states = nullptr);

}  // namespace whorl
