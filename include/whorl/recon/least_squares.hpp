// Regularized least squares with any operator, in the one convention for lambda.
#pragma once

#include <complex>
#include <string>

#include "whorl/op/linear_operator.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl {

struct LeastSquaresOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-4;  ///< of the relative residual
  double lambda = 1e-4;     ///< Tikhonov weight, for an operator of norm 1 (docs/conventions.md)
};

/// Largest eigenvalue of A^H A, by power iteration from below to about 1 %.
/// Throws  ValueError (an operator that is zero or gives values that are not finite), Cancelled
template <class Real>
double normal_eigenvalue(const Context& ctx, const LinearOperator<Real>& A);

/// Solves (A^H A / s + lambda) x = A^H d / s by conjugate gradient from x = 0, with s = `eigenvalue`, that of A^H A, so
/// that the same lambda means the same for any operator and scale of the data: min over x of |A x - d|^2 + lambda s
/// |x|^2. An operator that acts on several coils alike is solved for all of them together.
///
/// Shapes    data A.range(), x A.domain(); x is overwritten
/// Progress  one stage of the title, one step per iteration
/// Throws    ShapeError, ValueError (options out of range, an eigenvalue that is not positive, numbers that are not
///           finite), Cancelled
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
template <class Real>
SolverReport least_squares(const Context& ctx, const std::string& title, const LinearOperator<Real>& A,
                           ArrayRef<const std::complex<Real>> data, double eigenvalue,
                           const LeastSquaresOptions& options, ArrayRef<std::complex<Real>> x);

}  // namespace whorl
