// Regularized least squares with any operator, in whorl's convention for lambda.
#pragma once

#include <complex>
#include <string>

#include "whorl/op/linear_operator.hpp"
#include "whorl/solver/solver_report.hpp"

namespace whorl {

struct LeastSquaresOptions {
  int iterations = 30;      ///< at most
  double tolerance = 1e-4;  ///< of the relative residual
  double lambda = 1e-4;     ///< weight of the penalty, for an encoding operator of norm 1 (docs/conventions.md)
};

/// Largest eigenvalue of A^H A, from below, with a residual of at most 0.1 % of it. For the error that this implies,
/// see whorl/solver/largest_eigenvalue.hpp.
/// Throws  ValueError (an operator that is zero or gives values that are not finite), Cancelled
template <class Real>
double normal_eigenvalue(const Context& ctx, const LinearOperator<Real>& A);

/// The model of data d: A x and noise, with a small |W x|. The least squares image x minimizes
/// |A x - d|^2 + lambda s |W x|^2, that is
///
///   H x = A^H d / s,   H = A^H A / s + lambda W^H W.
///
/// So a given lambda means the same for any operator and scale of the data. The operators are referred to, not copied.
template <class Real>
struct RegularizedModel {
  const LinearOperator<Real>& encoding;           ///< A
  double eigenvalue;                              ///< s, that of A^H A (normal_eigenvalue)
  const LinearOperator<Real>* penalty = nullptr;  ///< W, of norm 1 at most, with A's domain; none: the identity
};

/// z = H x.
/// Throws  ShapeError, ValueError (lambda below 0, an eigenvalue that is not positive)
template <class Real>
void apply_regularized_normal(const Context& ctx, const RegularizedModel<Real>& model, double lambda,
                              ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z);

/// Solves H x = b by conjugate gradient, starting from the given x.
///
/// Shapes    b and x A.domain()
/// Progress  one stage of the title, one step per iteration
/// Throws    ShapeError, ValueError (options out of range, an eigenvalue that is not positive, values that are not
///           finite), Cancelled
template <class Real>
SolverReport solve_regularized_normal(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                                      const LeastSquaresOptions& options, ArrayRef<const std::complex<Real>> b,
                                      ArrayRef<std::complex<Real>> x);

/// The least squares image, starting from x = 0. If an operator acts on each of several coils, they are solved
/// together.
///
/// Shapes    data A.range(), x A.domain(); x is overwritten
/// Throws    as solve_regularized_normal
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
template <class Real>
SolverReport least_squares(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                           ArrayRef<const std::complex<Real>> data, const LeastSquaresOptions& options,
                           ArrayRef<std::complex<Real>> x);

}  // namespace whorl
