// One of the systems that conjugate gradient solves at the same time: its scalars, its end, its report.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/conjugate_gradient.hpp"
#include "whorl/core/error.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::conjugate_gradient_detail {

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

  static constexpr std::size_t numbers = 9;
  void save(std::vector<double>& to) const {
    to.push_back(static_cast<double>(count_));
    to.insert(to.end(), decrements_.begin(), decrements_.end());
  }
  void restore(const double* from) {
    count_ = static_cast<std::size_t>(from[0]);
    std::copy_n(from + 1, decrements_.size(), decrements_.begin());
  }

 private:
  std::array<double, numbers - 1> decrements_{};
  std::size_t count_ = 0;
};

inline void check_finite(double value) {
  if (!std::isfinite(value)) {
    throw ValueError(
        "conjugate gradient: the operator gave a value that is not finite; check the magnitude of the data, and of "
        "what the operator multiplies by");
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

  /// As it was when it was saved.
  System(const double* saved, SolverReport report, const ConjugateGradientOptions& options)
      : options_(options), b_norm_(saved[0]), energy_(saved[1]), report_(std::move(report)), ended_(saved[2] != 0) {
    estimate_.restore(saved + 3);
  }
  static constexpr std::size_t numbers = 3 + ErrorEstimate::numbers;
  void save(std::vector<double>& to) const {
    to.insert(to.end(), {b_norm_, energy_, ended_ ? 1.0 : 0.0});
    estimate_.save(to);
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
  const SolverReport& report() const { return report_; }
  SolverReport take() { return std::move(report_); }

 private:
  void end_if_done() {
    const bool precise = residual() <= options_.tolerance;
    if (!precise && !estimate_.is_at_most(options_.error)) return;
    report_.stop_reason = precise ? StopReason::tolerance : StopReason::error;
    ended_ = true;
  }

  const ConjugateGradientOptions& options_;
  double b_norm_;
  double energy_;  // |b - A x|^2
  ErrorEstimate estimate_;
  SolverReport report_;
  bool ended_ = false;
};

}  // namespace whorl::conjugate_gradient_detail
