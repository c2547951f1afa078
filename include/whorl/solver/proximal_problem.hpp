// The problem of proximal solvers: to minimize a quadratic function and terms with proximal operators.
#pragma once

#include <complex>
#include <functional>
#include <vector>

#include "whorl/solver/conjugate_gradient.hpp"

namespace WHORL_PUBLIC whorl {

/// f(x) = <x, H x> / 2 - Re <b, x> + constant, H Hermitian and positive semi-definite.
template <class Real>
struct QuadraticFunction {
  NormalFunction<Real> H;
  ArrayRef<const std::complex<Real>> b;
  double constant = 0;
  double largest = 1;  ///< a bound on the eigenvalues of H, for solvers that step along the gradient
};

/// A term g(W x), described by its dual variable y in the range of W.
template <class Real>
struct DualTerm {
  using Complex = std::complex<Real>;

  struct Sums {
    double value = 0;   ///< g(W x)
    double change = 0;  ///< |new y - old y|^2
  };

  Shape range;      ///< of y
  double norm = 1;  ///< a bound on |W|
  /// y = prox_{sigma g*}(y + sigma W x). `pass` counts the calls from 1 (functions with random shifts).
  std::function<Sums(const Context&, double sigma, Index pass, ArrayRef<const Complex> x, ArrayRef<Complex> y)> step;
  /// sum += W^H y
  std::function<void(const Context&, ArrayRef<const Complex> y, ArrayRef<Complex> sum)> add_adjoint;
  /// sum += factor W^H W x; it neither waits for the device nor reads results
  std::function<void(const Context&, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum)> add_normal;
};

/// A function g that has a proximal operator itself.
template <class Real>
struct ProximalStep {
  using Complex = std::complex<Real>;

  /// x = prox_{step g}(x)
  std::function<void(const Context&, double step, Index pass, ArrayRef<Complex> x)> prox;
  std::function<double(const Context&, ArrayRef<const Complex> x)> value;  ///< g(x)
};

/// The residuals of min f(x) + sum_t g_t(W_t x). With dual variables y_t and z_t, where y_t is a subgradient of g_t:
///
///   primal   sqrt(sum_t |W_t x - z_t|^2) / |x|
///   dual     |H x - b + sum_t W_t^H y_t| / |b|
///
/// x is a minimizer if both are 0. FISTA has no dual variable: its dual residual is that of the fixed point equation,
/// L |x - prox_{g/L}(x - (H x - b) / L)| / |b|, at the point from which it steps.
struct ProximalSolverOptions {
  int iterations = 100;     ///< at most
  double tolerance = 1e-4;  ///< stop where both residuals are at most this
};

}  // namespace whorl
