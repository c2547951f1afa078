#include "studies/quantitative_mri/solver.hpp"

#include <algorithm>
#include <utility>

#include "recon/field_of_view.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl::studies::quantitative_mri {

namespace {

// The support of every row, that gridding is cut to: the ball that the trajectory resolves.
template <class Real>
Array<Real> ball(const Trial& trial) {
  const Context host = trial.ctx.host();
  const Array<float> mask = recon::field_of_view_mask(host, trial.image());
  Array<Real> values(host, {mask.size()});
  std::copy(mask.span().begin(), mask.span().end(), values.data());
  return trial.ctx.device() == Device{} ? std::move(values) : clone(trial.ctx, values.ref());
}

}  // namespace

template <class Real>
Array<std::complex<Real>> solve(const Trial& trial, const System<Real>& system,
                                ArrayRef<const std::complex<Real>> adjoint_data) {
  using Complex = std::complex<Real>;
  const Array<Real> inside = ball<Real>(trial);
  const auto cut = [&](const Context& ctx, ArrayRef<Complex> image) {
    const ArrayRef<Complex> voxels = image.reshape({image.size()});
    multiply_weights<Real>(ctx, inside, voxels, voxels);
  };
  const auto normal = [&](const Context& ctx, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    system.normal(ctx, p, q);
    if (system.penalty == nullptr) {
      axpby<Real>(ctx, system.lambda, p, 1 / system.eigenvalue, q);
    } else {
      Array<Complex> penalized(ctx, p.shape());
      system.penalty->normal(ctx, p, penalized);
      axpby<Real>(ctx, system.lambda, penalized, 1 / system.eigenvalue, q);
    }
    cut(ctx, q);
  };
  Array<Complex> b = clone(trial.ctx, adjoint_data);
  axpby<Real>(trial.ctx, 0, adjoint_data, 1 / system.eigenvalue, b);
  cut(trial.ctx, b);
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
