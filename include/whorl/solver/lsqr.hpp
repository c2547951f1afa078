// LSQR: least squares by the operator and its adjoint.
#pragma once

#include "whorl/solver/conjugate_gradient.hpp"

namespace WHORL_PUBLIC whorl {

struct LsqrOptions {
  int iterations = 100;     ///< at most
  double tolerance = 1e-6;  ///< stop when |A^H (b - A x) - damping^2 x| <= tolerance |A^H b|
  double damping = 0;       ///< of x: min |A x - b|^2 + damping^2 |x|^2
};

/// Solves min |A x - b|^2 + damping^2 |x|^2 from x = 0, and leaves the solution in x. In exact arithmetic the iterates
/// are those of conjugate gradient on A^H A + damping^2, but rounding harms them less if A is ill-conditioned. Without
/// damping the solution is the one of least norm.
///
/// The residuals of the report are those of the normal equations, |A^H (b - A x) - damping^2 x| / |A^H b|, by the
/// recurrence.
///
/// Shapes  b as A's range, x as its domain
/// Memory  one array of the range, two of the domain, and one of each for the results of A and A^H
/// Throws  ValueError (options out of range, values that are not finite, b and x that overlap)
/// Source  Paige and Saunders, ACM Trans Math Softw 8 (1982) 43
template <Precision Real>
WHORL_PUBLIC SolverReport lsqr(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                               const std::type_identity_t<NormalFunction<Real>>& A_adjoint,
                               ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                               const LsqrOptions& options = {}, const IterationCallback& callback = {});

}  // namespace whorl
