#include "whorl/recon/least_squares.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

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
             A.domain())
      .value;
}

template <class Real>
void apply_regularized_normal(const Context& ctx, const RegularizedModel<Real>& model, double lambda,
                              ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z) {
  if (!(lambda >= 0)) throw ValueError(fmt::format("least squares: lambda is {}, expected 0 or more", lambda));
  if (!(model.eigenvalue > 0)) {
    throw ValueError(
        fmt::format("least squares: a largest eigenvalue of {}, expected a positive one", model.eigenvalue));
  }
  model.encoding.normal(ctx, x, z);
  if (model.penalty == nullptr || lambda == 0) {
    axpby<Real>(ctx, lambda, x, 1 / model.eigenvalue, z);
    return;
  }
  Array<std::complex<Real>> penalized(ctx, x.shape());
  model.penalty->normal(ctx, x, penalized);
  axpby<Real>(ctx, lambda, penalized, 1 / model.eigenvalue, z);
}

template <class Real>
SolverReport solve_regularized_normal(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                                      const LeastSquaresOptions& options, ArrayRef<const std::complex<Real>> b,
                                      ArrayRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  const auto normal = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    apply_regularized_normal<Real>(c, model, options.lambda, p, q);
  };
  ProgressStage stage(ctx, title, options.iterations);
  return conjugate_gradient<Real>(
      ctx, normal, b, x, {.iterations = options.iterations, .tolerance = options.tolerance},
      [&](int, double residual) { stage.advance(1, fmt::format("residual {:.2e}", residual)); });
}

template <class Real>
SolverReport least_squares(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                           ArrayRef<const std::complex<Real>> data, const LeastSquaresOptions& options,
                           ArrayRef<std::complex<Real>> x) {
  // With A = r A', d = n d', x = (n/r) x', r = sqrt(s): solve (A'^H A' + lambda W^H W) x' = A'^H d'. CG does not see
  // the scale of the whole equation, so that of the data is left in it.
  Array<std::complex<Real>> right_hand_side(ctx, model.encoding.domain());
  model.encoding.adjoint(ctx, data, right_hand_side);
  axpby<Real>(ctx, 1 / model.eigenvalue, right_hand_side, 0, right_hand_side);
  fill<std::complex<Real>>(ctx, x, 0);
  return solve_regularized_normal<Real>(ctx, title, model, options, right_hand_side, x);
}

#define WHORL_INSTANTIATE(Real)                                                                                   \
  template double normal_eigenvalue<Real>(const Context&, const LinearOperator<Real>&);                           \
  template void apply_regularized_normal<Real>(const Context&, const RegularizedModel<Real>&, double,             \
                                               ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>); \
  template SolverReport solve_regularized_normal<Real>(                                                           \
      const Context&, const std::string&, const RegularizedModel<Real>&, const LeastSquaresOptions&,              \
      ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>);                                          \
  template SolverReport least_squares<Real>(const Context&, const std::string&, const RegularizedModel<Real>&,    \
                                            ArrayRef<const std::complex<Real>>, const LeastSquaresOptions&,       \
                                            ArrayRef<std::complex<Real>>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
