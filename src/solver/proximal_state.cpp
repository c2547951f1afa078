#include "solver/proximal_state.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

template <class Real>
void check_proximal_problem(const char* solver, const QuadraticFunction<Real>& f, ArrayRef<const std::complex<Real>> x,
                            const ProximalSolverOptions& options) {
  using Complex = std::complex<Real>;
  if (f.b.shape() != x.shape()) {
    throw ShapeError(fmt::format("{}: b has shape {}, x has shape {}; expected equal shapes", solver,
                                 to_string(f.b.shape()), to_string(x.shape())));
  }
  if (overlap<Complex, Complex>(f.b, x)) {
    throw ValueError(fmt::format("{}: b and x overlap in memory; x needs an array of its own", solver));
  }
  if (options.iterations < 0 || !(options.tolerance >= 0) || !(options.change >= 0)) {
    throw ValueError(fmt::format("{}: {} iterations, tolerance {}, change {}; expected 0 or more of each", solver,
                                 options.iterations, options.tolerance, options.change));
  }
  if (!(f.largest > 0)) {
    throw ValueError(fmt::format("{}: a largest eigenvalue of {}, expected a positive one", solver, f.largest));
  }
}

void check_finite_cost(const char* solver, double value) {
  if (std::isfinite(value)) return;
  throw ValueError(fmt::format(
      "{}: a value is not finite; check the magnitude of the data, the weights of the terms and what the operator "
      "multiplies by",
      solver));
}

bool ProximalReport::is_last(const Iterate& at) {
  check_finite_cost(solver_, at.cost + at.primal + at.dual);
  const bool start = report_.costs.empty();
  report_.costs.push_back(at.cost);
  report_.primal_residuals.push_back(at.primal);
  report_.dual_residuals.push_back(at.dual);
  report_.residuals.push_back(at.primal + at.dual);
  report_.gaps.push_back(at.gap);
  report_.changes.push_back(at.change);
  if (!start) {
    ++report_.iterations;
    if (callback_ && !callback_(report_.iterations, report_.residuals.back())) {
      report_.stop_reason = StopReason::callback;
      return true;
    }
  }
  if (report_.residuals.back() <= options_.tolerance && at.gap <= 2 * options_.tolerance * at.size) {
    report_.stop_reason = StopReason::tolerance;
    return true;
  }
  if (!start && options_.change > 0 && at.change <= options_.change) {
    report_.stop_reason = StopReason::change;
    return true;
  }
  return report_.iterations >= options_.iterations;
}

template <class Real>
DualState<Real>::DualState(const Context& ctx, const QuadraticFunction<Real>& f,
                           const std::vector<DualTerm<Real>>& terms, ArrayRef<const Complex> x, DualStart<Real>* start,
                           bool relaxes)
    : f_(f),
      terms_(terms),
      gradient_(ctx, x.shape()),
      sum_(zeros<Complex>(ctx, x.shape())),
      old_sum_(ctx, x.shape()),
      scratch_(ctx, x.shape()),
      b_norm_(norm<Real>(ctx, f.b)) {
  if (start != nullptr && !start->duals.empty()) {
    bool fits = start->duals.size() == terms.size();
    for (std::size_t t = 0; fits && t < terms.size(); ++t) fits = start->duals[t].shape() == terms[t].range;
    if (!fits) throw ShapeError("proximal solver: dual variables to start from that are not those of the terms");
    duals_ = std::move(start->duals);
    for (std::size_t t = 0; t < terms.size(); ++t) terms[t].add_adjoint(ctx, duals_[t], sum_);
  } else {
    for (const DualTerm<Real>& term : terms) duals_.push_back(zeros<Complex>(ctx, term.range));
  }
  if (relaxes) {
    for (const DualTerm<Real>& term : terms) old_duals_.emplace_back(ctx, term.range);
  }
  f.H(ctx, x, gradient_);
  axpby<Real>(ctx, -1, f.b, 1, gradient_);
}

template <class Real>
std::vector<ArrayRef<std::complex<Real>>> DualState<Real>::arrays(ArrayRef<Complex> x) {
  std::vector<ArrayRef<Complex>> all{gradient_, sum_};
  for (Array<Complex>& dual : duals_) all.push_back(dual);
  all.push_back(x);
  return all;
}

template <class Real>
void DualState<Real>::leave(double step, DualStart<Real>* start) {
  if (start != nullptr) *start = {std::move(duals_), step};
}

template <class Real>
ProximalReport::Iterate DualState<Real>::step(const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x) {
  // f(x) = Re <x, (H x - b) - b> / 2 + constant
  ProximalReport::Iterate at{.cost = f_.constant +
                                     0.5 * (dot<Real>(ctx, x, gradient_).real() - dot<Real>(ctx, x, f_.b).real())};
  double change = 0;
  std::swap(sum_, old_sum_);
  fill<Complex>(ctx, sum_, 0);
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    if (!old_duals_.empty()) copy<Complex>(ctx, duals_[t], old_duals_[t]);
    const auto sums = terms_[t].step(ctx, sigma, pass, x, duals_[t]);
    at.cost += sums.value;
    at.gap += sums.value;
    change += sums.change;
    terms_[t].add_adjoint(ctx, duals_[t], sum_);
  }
  axpby<Real>(ctx, 1, sum_, 0, scratch_);
  axpby<Real>(ctx, 1, gradient_, 1, scratch_);
  at.gap -= dot<Real>(ctx, x, sum_).real();
  x_norm_ = norm<Real>(ctx, x);
  // W x - z = (new y - old y) / sigma
  at.primal = relative_change(std::sqrt(change) / sigma, x_norm_);
  const double left = norm<Real>(ctx, scratch_);
  at.dual = relative_change(left, b_norm_);
  at.gap += left * x_norm_;
  at.size = b_norm_ * x_norm_;
  return at;
}

template <class Real>
void DualState<Real>::descent(const Context& ctx, ArrayRef<Complex> towards) const {
  axpby<Real>(ctx, -1, gradient_, 0, towards);
  axpby<Real>(ctx, -2, sum_, 1, towards);
  axpby<Real>(ctx, 1, old_sum_, 1, towards);
}

template <class Real>
double DualState<Real>::duals_norm(const Context& ctx) const {
  double square = 0;
  for (const Array<Complex>& dual : duals_) square += std::pow(norm<Real>(ctx, dual), 2);
  return std::sqrt(square);
}

template <class Real>
void DualState<Real>::relax(const Context& ctx, double by) {
  if (old_duals_.empty()) return;
  for (std::size_t t = 0; t < terms_.size(); ++t) {
    axpby<Real>(ctx, 1 - by, old_duals_[t], by, duals_[t]);
  }
  axpby<Real>(ctx, 1 - by, old_sum_, by, sum_);
}

bool StepBalance::follow(Index iteration, double primal, double dual) {
  const bool now = iteration >= pace_.first && (iteration - pace_.first) % pace_.every == 0;
  if (!now || !(primal > 0) || !(dual > 0)) return false;
  const double wanted = std::clamp(0.5 * std::log(primal / dual), -largest_, largest_);
  if (std::abs(wanted) < std::log(enough)) return false;
  value_ *= std::exp(wanted);
  largest_ *= pace_.fading;
  return true;
}

#define WHORL_INSTANTIATE(Real)                                                                                 \
  template void check_proximal_problem<Real>(const char*, const QuadraticFunction<Real>&,                       \
                                             ArrayRef<const std::complex<Real>>, const ProximalSolverOptions&); \
  template class DualState<Real>;
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
