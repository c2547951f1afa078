// Steps of conjugate gradient on a CPU.
#include "kernels/conjugate_gradient.hpp"

#include <cmath>
#include <utility>

#include "kernels/blas1.hpp"

namespace whorl::backend::cpu {

namespace {

template <class Real>
class Steps final : public kernels::ConjugateGradientSteps {
 public:
  Steps(const kernels::ConjugateGradientVectors<Real>& vectors,
        const std::vector<kernels::ConjugateGradientStart>& start)
      : vectors_(vectors) {
    set(start);
  }

  void restart(const Context&, const std::vector<kernels::ConjugateGradientStart>& start) override { set(start); }

  void step(const Context& ctx) override {
    kernels::ConjugateGradientVectors<Real> v = vectors_;
    for (System& system : systems_) {
      step(ctx, v, system);
      v.x += v.size;
      v.residual += v.size;
      v.direction += v.size;
      v.image += v.size;
    }
  }

  kernels::ConjugateGradientState state_after(const Context&, int, Index system) override {
    return systems_[static_cast<std::size_t>(system)].state;
  }
  int ahead() const override { return 0; }

 private:
  struct System {
    kernels::ConjugateGradientState state;
    double stop_energy;
  };

  void set(const std::vector<kernels::ConjugateGradientStart>& start) {
    systems_.clear();
    for (const auto& system : start) systems_.push_back({{0, system.energy}, system.stop_energy});
  }

  static void step(const Context& ctx, const kernels::ConjugateGradientVectors<Real>& v, System& system) {
    kernels::ConjugateGradientState& state = system.state;
    if (state.energy <= system.stop_energy) return;
    state.curvature = kernels::dot<Real>(ctx, v.size, v.direction, v.image).real();
    if (!(state.curvature > 0) || !std::isfinite(state.curvature)) return;
    const double step = state.energy / state.curvature;
    kernels::axpby<Real>(ctx, v.size, step, v.direction, 1, v.x);
    kernels::axpby<Real>(ctx, v.size, -step, v.image, 1, v.residual);
    const double next = kernels::dot<Real>(ctx, v.size, v.residual, v.residual).real();
    kernels::axpby<Real>(ctx, v.size, 1, v.residual, next / state.energy, v.direction);
    state.energy = next;
  }

  kernels::ConjugateGradientVectors<Real> vectors_;
  std::vector<System> systems_;
};

template <class Real>
std::unique_ptr<kernels::ConjugateGradientSteps> make_conjugate_gradient_steps(
    const Context&, const kernels::ConjugateGradientVectors<Real>& vectors,
    const std::vector<kernels::ConjugateGradientStart>& start) {
  return std::make_unique<Steps<Real>>(vectors, start);
}

}  // namespace

void register_conjugate_gradient() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::make_conjugate_gradient_steps<Real>.set(DeviceKind::cpu, make_conjugate_gradient_steps<Real>);
  });
}

}  // namespace whorl::backend::cpu
