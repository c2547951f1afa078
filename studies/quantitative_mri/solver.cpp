#include "studies/quantitative_mri/solver.hpp"

#include "whorl/math/blas1.hpp"

namespace whorl::studies::quantitative_mri {

template <class Real>
Array<std::complex<Real>> solve(const Trial& trial, const System<Real>& system,
                                ArrayRef<const std::complex<Real>> adjoint_data) {
  using Complex = std::complex<Real>;
  const auto normal = [&](const Context& ctx, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    system.normal(ctx, p, q);
    if (system.penalty == nullptr) {
      axpby<Real>(ctx, system.lambda, p, 1 / system.eigenvalue, q);
      return;
    }
    Array<Complex> penalized(ctx, p.shape());
    system.penalty->normal(ctx, p, penalized);
    axpby<Real>(ctx, system.lambda, penalized, 1 / system.eigenvalue, q);
  };
  Array<Complex> b = clone(trial.ctx, adjoint_data);
  axpby<Real>(trial.ctx, 0, adjoint_data, 1 / system.eigenvalue, b);
  Array<Complex> x = zeros<Complex>(trial.ctx, trial.image());
  // All iterations, whatever the residual, as in the chapter.
  ProgressStage stage(trial.ctx, "conjugate gradient", trial.options.iterations);
  conjugate_gradient<Real>(trial.ctx, normal, b, x,
                           {.iterations = static_cast<int>(trial.options.iterations), .tolerance = 0},
                           [&](int, double) { stage.advance(); });
  return x;
}

template Array<std::complex<float>> solve<float>(const Trial&, const System<float>&,
                                                 ArrayRef<const std::complex<float>>);
template Array<std::complex<double>> solve<double>(const Trial&, const System<double>&,
                                                   ArrayRef<const std::complex<double>>);

}  // namespace whorl::studies::quantitative_mri
