#include "whorl/solver/conjugate_gradient.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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

}  // namespace

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::tolerance:
      return "reached the tolerance";
    case StopReason::iterations:
      return "reached the limit of iterations";
    case StopReason::breakdown:
      return "stopped where rounding errors dominate";
  }
  return "unknown";
}

template <class Real>
SolverReport conjugate_gradient(const Context& ctx, const NormalFunction<Real>& A, ArrayRef<const std::complex<Real>> b,
                                ArrayRef<std::complex<Real>> x, const ConjugateGradientOptions& options,
                                const IterationCallback& callback) {
  using Complex = std::complex<Real>;
  if (b.shape() != x.shape()) {
    throw ShapeError(fmt::format("conjugate gradient: b has shape {}, x has shape {}; expected equal shapes",
                                 to_string(b.shape()), to_string(x.shape())));
  }
  if (options.iterations < 0 || !(options.tolerance >= 0) || !(options.error >= 0)) {
    throw ValueError(
        fmt::format("conjugate gradient: {} iterations, tolerance {}, error {}; expected 0 or more of each",
                    options.iterations, options.tolerance, options.error));
  }
  SolverReport report;
  const double b_norm = norm<Real>(ctx, b);
  if (b_norm == 0) {
    axpby<Real>(ctx, 0, b, 0, x);
    report.residuals = {0};
    report.stop_reason = StopReason::tolerance;
    return report;
  }
  const auto check_finite = [](double value) {
    if (!std::isfinite(value)) {
      throw ValueError("conjugate gradient: the operator gave a value that is not finite; check the data and the maps");
    }
  };
  check_finite(b_norm);

  // residual = b - A x, direction = residual
  Array<Complex> residual(ctx, b.shape());
  Array<Complex> image(ctx, b.shape());
  A(ctx, x, residual);
  axpby<Real>(ctx, 1, b, -1, residual);
  Array<Complex> direction(ctx, b.shape());
  axpby<Real>(ctx, 1, residual, 0, direction);
  const double energy = dot<Real>(ctx, residual, residual).real();
  check_finite(energy);
  report.residuals.push_back(std::sqrt(energy) / b_norm);

  // Slightly below, so that rounding does not end the steps while this loop continues.
  const double stop_energy = (1 - 1e-12) * std::pow(options.tolerance * b_norm, 2);
  const auto steps = kernels::make_conjugate_gradient_steps<Real>(
      ctx, {b.size(), x.data(), residual.data(), direction.data(), image.data()}, energy, stop_energy);
  const std::function<void()> iterate = kernels::make_repeatable(ctx, [&] {
    A(ctx, direction, image);
    steps->step(ctx);
  });
  ErrorEstimate estimate;
  double energy_before = energy;
  const auto done = [&] { return report.residuals.back() <= options.tolerance || estimate.is_at_most(options.error); };
  int asked = 0;
  while (!done() && report.iterations < options.iterations) {
    for (; asked < std::min(options.iterations, report.iterations + 1 + steps->ahead()); ++asked) iterate();
    const kernels::ConjugateGradientState state = steps->state_after(ctx, report.iterations);
    check_finite(state.curvature);
    check_finite(state.energy);
    if (state.curvature <= 0) {
      report.stop_reason = StopReason::breakdown;
      return report;
    }
    estimate.add(energy_before * energy_before / state.curvature);
    energy_before = state.energy;
    ++report.iterations;
    report.residuals.push_back(std::sqrt(state.energy) / b_norm);
    if (callback) callback(report.iterations, report.residuals.back());
  }
  report.stop_reason = done() ? StopReason::tolerance : StopReason::iterations;
  return report;
}

template SolverReport conjugate_gradient<float>(const Context&, const NormalFunction<float>&,
                                                ArrayRef<const std::complex<float>>, ArrayRef<std::complex<float>>,
                                                const ConjugateGradientOptions&, const IterationCallback&);
template SolverReport conjugate_gradient<double>(const Context&, const NormalFunction<double>&,
                                                 ArrayRef<const std::complex<double>>, ArrayRef<std::complex<double>>,
                                                 const ConjugateGradientOptions&, const IterationCallback&);

}  // namespace whorl
