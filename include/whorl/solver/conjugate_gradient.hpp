// Conjugate gradient for Hermitian, positive semi-definite systems.
#pragma once

#include <complex>
#include <functional>

#include "whorl/core/array.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl {

struct ConjugateGradientOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-6;  ///< stop when |b - A x| <= tolerance |b|
  double error = 0;  ///< stop, too, when sqrt(e^H A e) of the error e of x is estimated to be this; 0: no estimate
};

/// z = A x for arrays of one shape; z is overwritten.
template <class Real>
using NormalFunction =
    std::function<void(const Context&, ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z)>;

/// Called after each iteration with the number of iterations done and the relative residual.
using IterationCallback = std::function<void(int iteration, double residual)>;

/// Solves A x = b for Hermitian positive semi-definite A, starting from x, and leaves the solution in x.
///
/// Residuals are those of the recurrence, relative to |b|. A zero b gives x = 0 at once. The solver stops with
/// `breakdown` when rounding makes p^H A p <= 0, and keeps the best x that it has.
///
/// e^H A e falls in each step by (r^H r)^2 / p^H A p, so that the sum of the last eight of these is what it was before
/// them, less what it is now. That is the estimate of e^H A e: never more than what it was eight steps ago. What is
/// left now is less than that where eight steps take half of it, and up to c/32 times the estimate where A has a
/// condition number c^2 and nothing but that is known. Where steps are asked for ahead (GPU), x is some further than
/// the report says. Shapes   b and x are equal Throws   ShapeError; ValueError for negative options and when A gives a
/// value that is not finite Source   Hestenes and Stiefel, J. Res. Natl. Bur. Stand. 49 (1952) 409; the estimate: their
/// theorem 6:1, and Strakos,
///          Tichy, Electron. Trans. Numer. Anal. 13 (2002) 56
template <class Real>
SolverReport conjugate_gradient(const Context& ctx, const NormalFunction<Real>& A, ArrayRef<const std::complex<Real>> b,
                                ArrayRef<std::complex<Real>> x, const ConjugateGradientOptions& options = {},
                                const IterationCallback& callback = {});

}  // namespace whorl
