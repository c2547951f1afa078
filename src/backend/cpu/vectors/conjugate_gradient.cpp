#include "kernels/conjugate_gradient.hpp"

#include <cmath>
#include <utility>

#include "kernels/blas1.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
class Steps final : public kernels::ConjugateGradientSteps {
 public:
  Steps(const kernels::ConjugateGradientVectors<Real>& vectors, double energy, double stop_energy)
      : v_(vectors), state_{0, energy}, stop_energy_(stop_energy) {}

  void step(const Context& ctx) override {
    if (state_.energy <= stop_energy_) return;
    state_.curvature = kernels::dot<Real>(ctx, v_.size, v_.direction, v_.image).real();
    if (!(state_.curvature > 0) || !std::isfinite(state_.curvature)) return;
    const double step = state_.energy / state_.curvature;
    kernels::axpby<Real>(ctx, v_.size, step, v_.direction, 1, v_.x);
    kernels::axpby<Real>(ctx, v_.size, -step, v_.image, 1, v_.residual);
    const double next = kernels::dot<Real>(ctx, v_.size, v_.residual, v_.residual).real();
    kernels::axpby<Real>(ctx, v_.size, 1, v_.residual, next / state_.energy, v_.direction);
    state_.energy = next;
  }

  kernels::ConjugateGradientState state_after(const Context&, int) override { return state_; }
  int ahead() const override { return 0; }

 private:
  kernels::ConjugateGradientVectors<Real> v_;
  kernels::ConjugateGradientState state_;
  double stop_energy_;
};

template <class Real>
std::unique_ptr<kernels::ConjugateGradientSteps> make_conjugate_gradient_steps(
    const Context&, const kernels::ConjugateGradientVectors<Real>& vectors, double energy, double stop_energy) {
  return std::make_unique<Steps<Real>>(vectors, energy, stop_energy);
}

}  // namespace

void register_conjugate_gradient() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_conjugate_gradient_steps<Real>.set(DeviceKind::cpu, make_conjugate_gradient_steps<Real>);
  });
}

}  // namespace whorl::backend::cpu
