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
    double value = 0;   ///< g(W x), or g(z) at the z of the step where g(W x) takes long
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
  bool has_versions = false;  ///< step differs from pass to pass
};

/// A function g that has a proximal operator itself.
template <class Real>
struct ProximalStep {
  using Complex = std::complex<Real>;

  /// x = prox_{step g}(x), and g of the result: where g has versions, that of the pass
  std::function<double(const Context&, double step, Index pass, ArrayRef<Complex> x)> prox;
  std::function<double(const Context&, ArrayRef<const Complex> x)> value;  ///< g(x)
  bool has_versions = false;                                               ///< prox differs from pass to pass
};

/// The residuals of min f(x) + sum_t g_t(W_t x). With dual variables y_t and z_t, where y_t is a subgradient of g_t:
///
///   primal   sqrt(sum_t |W_t x - z_t|^2) / |x|
///   dual     |H x - b + sum_t W_t^H y_t| / |b|
///
/// x is a minimizer where both are 0. FISTA has no dual variable: its dual residual is the fixed point's,
/// L |x - prox_{g/L}(x - (H x - b) / L)| / |b| at the point it steps from; of versions whorl/solver/fista.hpp tells more.
///
/// The function F = f + sum_t g_t is at most
///
///   gap      sum_t g_t(W_t x) - Re <x, sum_t W_t^H y_t> + |r| |x|,   r = H x - b + sum_t W_t^H y_t
///
/// above its least value where the minimizer is no farther from x than 0 is. For each t, g_t(W_t u) >= Re <W_t u, y_t> at the
/// minimizer u, and f(u) >= f(x) + Re <H x - b, u - x>; their sum has |r| |u - x| left. The g_t are those that grow with
/// their argument's size (norms). Terms whose value takes long count at z_t, in the cost as well; both are then exact where the
/// primal residual is small. FISTA's y is a subgradient at x, which leaves |r| |x|.
///
/// "Reached the tolerance" means that F is at most 2 tolerance |b| |x| above its least value, by this gap. |x - u|^2 is at most 2 / m times
/// that, where H has no eigenvalue below m. Parts of x that H does not see may be farther away.
struct ProximalSolverOptions {
  int iterations = 100;  ///< at most
  double tolerance =
      1e-4;  ///< stop where the sum of both residuals is at most this, and the gap at most 2 |b| |x| times this
  double change = 0;  ///< stop where an iteration changes x by at most this, relative to |x|; 0: do not
};

/// Dual variables from which a solver starts, and those that it leaves, with its step (sigma or rho). Without them it starts
/// from 0. Another problem of the same shapes that is near starts well from them.
template <class Real>
struct DualStart {
  std::vector<Array<std::complex<Real>>> duals{};
  double step = 0;  ///< 0: that of the options
};

}  // namespace whorl
