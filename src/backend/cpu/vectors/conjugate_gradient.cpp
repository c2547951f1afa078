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

  void move(const Context& ctx) override {
    for_systems([&](const auto& v, System& system) { move(ctx, v, system); });
  }
  void turn(const Context& ctx) override {
    for_systems([&](const auto& v, System& system) { turn(ctx, v, system); });
  }

  kernels::ConjugateGradientState state_after(const Context&, int, Index system) override {
    return systems_[static_cast<std::size_t>(system)].state;
  }
  int ahead() const override { return 0; }

 private:
  struct System {
    kernels::ConjugateGradientState state;
    double stop_energy;
    bool moved = false;
  };

  void set(const std::vector<kernels::ConjugateGradientStart>& start) {
    systems_.clear();
    for (const auto& system : start) systems_.push_back({{0, system.energy}, system.stop_energy});
  }

  template <class Work>
  void for_systems(const Work& work) {
    kernels::ConjugateGradientVectors<Real> v = vectors_;
    for (System& system : systems_) {
      work(v, system);
      v.x += v.size;
      v.residual += v.size;
      v.direction += v.size;
      v.image += v.size;
      if (v.preconditioned != nullptr) v.preconditioned += v.size;
    }
  }

  static void move(const Context& ctx, const kernels::ConjugateGradientVectors<Real>& v, System& system) {
    kernels::ConjugateGradientState& state = system.state;
    system.moved = false;
    if (state.energy <= system.stop_energy) return;
    state.curvature = kernels::dot<Real>(ctx, v.size, v.direction, v.image).real();
    if (!(state.curvature > 0) || !std::isfinite(state.curvature)) return;
    const double step = state.energy / state.curvature;
    kernels::axpby<Real>(ctx, v.size, step, v.direction, 1, v.x);
    kernels::axpby<Real>(ctx, v.size, -step, v.image, 1, v.residual);
    system.moved = true;
  }

  static void turn(const Context& ctx, const kernels::ConjugateGradientVectors<Real>& v, System& system) {
    if (!system.moved) return;
    const std::complex<Real>* const along = v.preconditioned != nullptr ? v.preconditioned : v.residual;
    const double next = kernels::dot<Real>(ctx, v.size, v.residual, along).real();
    kernels::axpby<Real>(ctx, v.size, 1, along, next / system.state.energy, v.direction);
    system.state.energy = next;
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
