#include "whorl/solver/conjugate_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "kernels/conjugate_gradient.hpp"
#include "kernels/repeat.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

// The reductions of e^H A e by the last steps.
class ErrorEstimate {
 public:
  void add(double decrement) {
    decrements_[count_ % decrements_.size()] = decrement;
    ++count_;
  }

  bool is_at_most(double error) const {
    if (error == 0 || count_ < decrements_.size()) return false;
    return std::accumulate(decrements_.begin(), decrements_.end(), 0.0) <= error * error;
  }

 private:
  std::array<double, 8> decrements_{};
  std::size_t count_ = 0;
};

void check_finite(double value) {
  if (!std::isfinite(value)) {
    throw ValueError(
        "conjugate gradient: the operator gave a value that is not finite; check the magnitude of the data, and of "
        "what "
        "the operator multiplies by");
  }
}

// One of the systems that are solved at the same time.
class System {
 public:
  // Norm of b, and |b - A x|^2 at the start.
  System(double b_norm, double energy, const ConjugateGradientOptions& options)
      : options_(options), b_norm_(b_norm), energy_(energy) {
    check_finite(energy);
    report_.residuals.push_back(b_norm == 0 ? 0 : std::sqrt(energy) / b_norm);
    end_if_done();
  }

  // Slightly below, so that rounding does not end the steps while this system continues.
  kernels::ConjugateGradientStart start() const {
    return {energy_, (1 - 1e-12) * std::pow(options_.tolerance * b_norm_, 2)};
  }

  void add(const kernels::ConjugateGradientState& state) {
    check_finite(state.curvature);
    check_finite(state.energy);
    if (state.curvature <= 0) {
      report_.stop_reason = StopReason::breakdown;
      ended_ = true;
      return;
    }
    estimate_.add(energy_ * energy_ / state.curvature);
    energy_ = state.energy;
    ++report_.iterations;
    report_.residuals.push_back(std::sqrt(energy_) / b_norm_);
    end_if_done();
  }

  void stop() {
    if (ended_) return;
    report_.stop_reason = StopReason::callback;
    ended_ = true;
  }

  bool ended() const { return ended_; }
  double residual() const { return report_.residuals.back(); }
  SolverReport take() { return std::move(report_); }

 private:
  void end_if_done() {
    if (residual() > options_.tolerance && !estimate_.is_at_most(options_.error)) return;
    report_.stop_reason = StopReason::tolerance;
    ended_ = true;
  }

  const ConjugateGradientOptions& options_;
  double b_norm_;
  double energy_;  // |b - A x|^2
  ErrorEstimate estimate_;
  SolverReport report_;
  bool ended_ = false;
};

void check_arguments(const Shape& b, const Shape& x, const ConjugateGradientOptions& options) {
  if (b != x) {
    throw ShapeError(fmt::format("conjugate gradient: b has shape {}, x has shape {}; expected equal shapes",
                                 to_string(b), to_string(x)));
  }
  if (options.iterations < 0 || !(options.tolerance >= 0) || !(options.error >= 0)) {
    throw ValueError(
        fmt::format("conjugate gradient: {} iterations, tolerance {}, error {}; expected 0 or more of each",
                    options.iterations, options.tolerance, options.error));
  }
}

// b and x hold `count` systems one after another; A takes all of them.
template <class Real>
std::vector<SolverReport> solve(const Context& ctx, const NormalFunction<Real>& A, Index count,
                                ArrayRef<const std::complex<Real>> b, ArrayRef<std::complex<Real>> x,
                                const ConjugateGradientOptions& options, const IterationCallback& callback) {
  using Complex = std::complex<Real>;
  if (!A) throw ValueError("conjugate gradient: the function for A is empty, expected z = A x");
  check_arguments(b.shape(), x.shape(), options);
  if (overlap<Complex, Complex>(b, x)) {
    throw ValueError("conjugate gradient: b and x overlap in memory; x needs an array of its own");
  }
  const Shape split{count, b.size() / count};
  const auto part = [&](const auto& array, Index i) { return array.reshape(split).slice(i); };
  std::vector<double> b_norms;
  for (Index i = 0; i < count; ++i) {
    b_norms.push_back(norm<Real>(ctx, part(b, i)));
    check_finite(b_norms.back());
    if (b_norms.back() == 0) axpby<Real>(ctx, 0, part(b, i), 0, part(x, i));
  }

  // residual = b - A x, direction = residual
  Array<Complex> residual(ctx, b.shape());
  Array<Complex> image(ctx, b.shape());
  A(ctx, x, residual);
  axpby<Real>(ctx, 1, b, -1, residual);
  Array<Complex> direction(ctx, b.shape());
  axpby<Real>(ctx, 1, residual, 0, direction);
  std::vector<System> systems;
  std::vector<kernels::ConjugateGradientStart> start;
  for (Index i = 0; i < count; ++i) {
    const auto r = part(residual.ref(), i);
    systems.emplace_back(b_norms[static_cast<std::size_t>(i)], dot<Real>(ctx, r, r).real(), options);
    start.push_back(systems.back().start());
  }

  const auto steps = kernels::make_conjugate_gradient_steps<Real>(
      ctx, {split[1], x.data(), residual.data(), direction.data(), image.data()}, start);
  const std::function<void()> iterate = kernels::make_repeatable(ctx, [&] {
    A(ctx, direction, image);
    steps->step(ctx);
  });
  const auto all_ended = [&] { return std::all_of(systems.begin(), systems.end(), std::mem_fn(&System::ended)); };
  int asked = 0;
  for (int done = 0; done < options.iterations && !all_ended(); ++done) {
    for (; asked < std::min(options.iterations, done + 1 + steps->ahead()); ++asked) iterate();
    double largest = 0;
    for (Index i = 0; i < count; ++i) {
      System& system = systems[static_cast<std::size_t>(i)];
      if (!system.ended()) system.add(steps->state_after(ctx, done, i));
      largest = std::max(largest, system.residual());
    }
    if (callback && !callback(done + 1, largest)) {
      for (System& system : systems) system.stop();
    }
  }
  std::vector<SolverReport> reports;
  for (System& system : systems) reports.push_back(system.take());
  return reports;
}

}  // namespace

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::tolerance:
      return "reached the tolerance";
    case StopReason::iterations:
      return "reached the limit of iterations";
    case StopReason::breakdown:
      return "stopped where rounding errors dominate";
    case StopReason::change:
      return "an iteration changed little";
    case StopReason::callback:
      return "stopped by the caller";
  }
  return "unknown";
}

template <Precision Real>
SolverReport conjugate_gradient(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                                ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                                const ConjugateGradientOptions& options, const IterationCallback& callback) {
  return std::move(solve<Real>(ctx, A, 1, b, x, options, callback).front());
}

template <Precision Real>
std::vector<SolverReport> conjugate_gradients(const Context& ctx, const std::type_identity_t<NormalFunction<Real>>& A,
                                              ArrayRef<const std::complex<Real>> b, ConvertedRef<std::complex<Real>> x,
                                              const ConjugateGradientOptions& options,
                                              const IterationCallback& callback) {
  if (b.rank() == 0 || b.extent(0) < 1) {
    throw ShapeError(fmt::format("conjugate gradients: b has shape {}, expected [system, ...] with one system or more",
                                 to_string(b.shape())));
  }
  return solve<Real>(ctx, A, b.extent(0), b, x, options, callback);
}

#define WHORL_INSTANTIATE(Real)                                                                                      \
  template SolverReport conjugate_gradient<Real>(const Context&, const NormalFunction<Real>&,                        \
                                                 ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>,   \
                                                 const ConjugateGradientOptions&, const IterationCallback&);         \
  template std::vector<SolverReport> conjugate_gradients<Real>(                                                      \
      const Context&, const NormalFunction<Real>&, ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>, \
      const ConjugateGradientOptions&, const IterationCallback&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
