#include "whorl/recon/least_squares.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/solver/power_iteration.hpp"

namespace whorl {

template <class Real>
double normal_eigenvalue(const Context& ctx, const LinearOperator<Real>& A) {
  using Complex = std::complex<Real>;
  return largest_eigenvalue<Real>(
      ctx,
      [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
        c.check_cancel("largest eigenvalue");
        A.normal(c, x, z);
      },
      A.domain());
}

template <class Real>
SolverReport least_squares(const Context& ctx, const std::string& title, const LinearOperator<Real>& A,
                           ArrayRef<const std::complex<Real>> data, double eigenvalue,
                           const LeastSquaresOptions& options, ArrayRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  if (!(options.lambda >= 0)) {
    throw ValueError(fmt::format("least squares: lambda is {}, expected 0 or more", options.lambda));
  }
  if (!(eigenvalue > 0)) {
    throw ValueError(fmt::format("least squares: a largest eigenvalue of {}, expected a positive one", eigenvalue));
  }
  // With A = r A', d = n d', x = (n/r) x', r = sqrt(s): solve (A'^H A' + lambda) x' = A'^H d'. CG does not see the
  // scale of the whole equation, so that of the data is left in it: (A^H A / s + lambda) x = A^H d / s.
  Array<Complex> right_hand_side(ctx, A.domain());
  A.adjoint(ctx, data, right_hand_side);
  axpby<Real>(ctx, 1 / eigenvalue, right_hand_side, 0, right_hand_side);
  const auto normal = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    A.normal(c, p, q);
    axpby<Real>(c, options.lambda, p, 1 / eigenvalue, q);
  };
  fill<Complex>(ctx, x, 0);
  ProgressStage stage(ctx, title, options.iterations);
  return conjugate_gradient<Real>(
      ctx, normal, right_hand_side, x, {.iterations = options.iterations, .tolerance = options.tolerance},
      [&](int, double residual) { stage.advance(1, fmt::format("residual {:.2e}", residual)); });
}

#define WHORL_INSTANTIATE(Real)                                                                                     \
  template double normal_eigenvalue<Real>(const Context&, const LinearOperator<Real>&);                             \
  template SolverReport least_squares<Real>(const Context&, const std::string&, const LinearOperator<Real>&,        \
                                            ArrayRef<const std::complex<Real>>, double, const LeastSquaresOptions&, \
                                            ArrayRef<std::complex<Real>>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
