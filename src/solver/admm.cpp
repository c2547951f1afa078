#include "whorl/solver/admm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "kernels/conjugate_gradient.hpp"
#include "kernels/repeat.hpp"
#include "solver/proximal_state.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

// Conjugate gradient for (M + Q) change = residual, from change = 0, again and again in the same arrays.
template <class Real>
class InnerSystem {
 public:
  using Complex = std::complex<Real>;

  InnerSystem(const Context& ctx, const Shape& shape, const InnerPreconditioner<Real>& preconditioner)
      : preconditioner_(preconditioner),
        change_(ctx, shape),
        residual_(ctx, shape),
        direction_(ctx, shape),
        image_(ctx, shape) {
    if (is_preconditioned()) preconditioned_ = Array<Complex>(ctx, shape);
    steps_ = kernels::make_conjugate_gradient_steps<Real>(
        ctx,
        {shape.size(), change_.data(), residual_.data(), direction_.data(), image_.data(),
         is_preconditioned() ? preconditioned_.data() : nullptr},
        {{0, 0}});
  }

  /// Where the right-hand side comes from, and what is left of it.
  Array<Complex>& residual() { return residual_; }
  const Array<Complex>& change() const { return change_; }

  void set_matrix(const Context& ctx, double rho, NormalFunction<Real> matrix) {
    if (is_preconditioned()) preconditioner_.set(ctx, rho);
    iterate_ = kernels::make_repeatable(ctx, [this, ctx, matrix = std::move(matrix)] {
      matrix(ctx, direction_, image_);
      if (is_preconditioned()) preconditioner_.add_proximal(ctx, 1, direction_, image_);
      steps_->move(ctx);
      if (is_preconditioned()) preconditioner_.apply(ctx, residual_, preconditioned_);
      steps_->turn(ctx);
    });
  }

  /// How many steps were asked for.
  int solve(const Context& ctx, const AdmmOptions& options) {
    if (is_preconditioned()) {
      preconditioner_.apply(ctx, residual_, direction_);
    } else {
      copy<Complex>(ctx, residual_, direction_);
    }
    fill<Complex>(ctx, change_, 0);
    const double energy = dot<Real>(ctx, residual_, direction_).real();
    check_finite_cost("admm", energy);
    const double enough = options.inner_tolerance * options.inner_tolerance * energy;
    steps_->restart(ctx, {{energy, enough}});
    int asked = 0;
    int done = 0;
    double now = energy;
    // A step asked for too much costs an application, so no more are queued than the system before took.
    for (; done < options.inner_iterations && now > enough; ++done) {
      const int queued = std::clamp(before_, done + 1, done + 1 + steps_->ahead());
      for (; asked < std::min(options.inner_iterations, queued); ++asked) iterate_();
      const kernels::ConjugateGradientState state = steps_->state_after(ctx, done, 0);
      check_finite_cost("admm", state.curvature + state.energy);
      if (state.curvature <= 0) break;
      now = state.energy;
    }
    before_ = done;
    return asked;
  }

  /// sum += factor Q change
  void add_proximal(const Context& ctx, double factor, Array<Complex>& sum) const {
    if (is_preconditioned()) preconditioner_.add_proximal(ctx, factor, change_, sum);
  }

 private:
  bool is_preconditioned() const { return preconditioner_.apply != nullptr; }

  const InnerPreconditioner<Real>& preconditioner_;
  Array<Complex> change_;
  Array<Complex> residual_;
  Array<Complex> direction_;
  Array<Complex> image_;
  Array<Complex> preconditioned_;
  std::unique_ptr<kernels::ConjugateGradientSteps> steps_;
  std::function<void()> iterate_;
  int before_ = 0;  // steps of the last system
};

// Terms with versions: residuals are those of the versions' differences, so that rho cannot follow them. The constants are
// measured: docs/builders/solvers.md (tv and wavelets, weights from 0.0003 to 0.01). rho is set as iterations double, from the
// first of them that has a y_t and an x to measure.
constexpr double averaged = 30;
constexpr double rho_for_versions = 40;
constexpr double rho_by_sizes = 3;
constexpr Index first_set = 4;

bool is_power_of_two(Index n) { return (n & (n - 1)) == 0; }

template <class Real>
void check_admm_options(const AdmmOptions& options) {
  if (!(options.rho > 0) || options.inner_iterations < 1 || !(options.inner_tolerance > 0)) {
    throw ValueError(fmt::format("admm: rho {}, {} inner iterations to a tolerance of {}; expected more than 0 of each",
                                 options.rho, options.inner_iterations, options.inner_tolerance));
  }
  if (!(options.relaxation >= 1 && options.relaxation < 2)) {
    throw ValueError(fmt::format("admm: a relaxation of {}, expected 1 to less than 2", options.relaxation));
  }
}

}  // namespace

template <Precision Real>
SolverReport admm(const Context& ctx, const QuadraticFunction<Real>& f, const std::vector<DualTerm<Real>>& terms,
                  ConvertedRef<std::complex<Real>> x, const AdmmOptions& options, const IterationCallback& callback,
                  const InnerPreconditioner<Real>& preconditioner, DualStart<Real>* start, SolverStates<Real>* states) {
  using Complex = std::complex<Real>;
  check_proximal_problem<Real>("admm", f, x, options);
  check_admm_options<Real>(options);
  const bool versions =
      std::any_of(terms.begin(), terms.end(), [](const DualTerm<Real>& term) { return term.has_versions; });
  DualState<Real> state(ctx, f, terms, x, start, versions || options.relaxation != 1);
  ProximalReport report("admm", options, callback);
  report.count_application();
  StepBalance rho(start != nullptr && start->step > 0 ? start->step : options.rho,
                  {.first = 1, .every = 1, .fading = 0.95});
  std::vector<double> numbers{1, rho.value(), rho.largest(), 0};  // the pass, rho and its reach, the last change
  if (report.resume<Real>(ctx, states, state.arrays(x), numbers)) rho.restore(numbers[1], numbers[2]);
  InnerSystem<Real> inner(ctx, x.shape(), preconditioner);
  const auto add_terms = [&terms](const Context& c, double factor, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
    for (const DualTerm<Real>& term : terms) term.add_normal(c, factor, p, q);
  };
  const auto set_matrix = [&] {
    inner.set_matrix(
        ctx, rho.value(),
        [&f, &add_terms, factor = rho.value()](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
          f.H(c, p, q);
          add_terms(c, factor, p, q);
        });
  };
  set_matrix();
  Array<Complex>& gradient = state.gradient();
  // rho by sizes, or 0 where one of them is 0.
  const auto rho_of_sizes = [&](ArrayRef<const Complex> point) {
    if (!options.by_sizes)
      return state.x_norm() > 0 ? rho_for_versions * norm<Real>(ctx, state.sum()) / state.x_norm() : 0;
    Array<Complex> normal = zeros<Complex>(ctx, point.shape());
    add_terms(ctx, 1, point, normal);
    const double square = dot<Real>(ctx, point, normal).real();
    return square > 0 ? rho_by_sizes * state.duals_norm(ctx) / std::sqrt(square) : 0;
  };
  double moved = numbers[3];
  for (auto pass = static_cast<Index>(numbers[0]);; ++pass) {
    auto at = state.step(ctx, rho.value(), pass, x);
    at.change = relative_change(moved, state.x_norm());
    if (report.is_last(at)) break;
    state.descent(ctx, inner.residual());
    // H change = (M + Q) change - rho W^H W change - Q change, and (M + Q) change is the right-hand side less its residual.
    const double by =
        versions ? std::min(options.relaxation, averaged / static_cast<double>(pass)) : options.relaxation;
    axpby<Real>(ctx, by, inner.residual(), 1, gradient);
    report.count_application(inner.solve(ctx, options));
    axpby<Real>(ctx, by, inner.residual(), -1, gradient);
    add_terms(ctx, by * rho.value(), inner.change(), gradient);
    inner.add_proximal(ctx, by, gradient);
    axpby<Real>(ctx, -1, gradient, 0, gradient);
    axpby<Real>(ctx, by, inner.change(), 1, x);
    state.relax(ctx, by);
    moved = by * norm<Real>(ctx, inner.change());
    if (options.follows && (versions || options.by_sizes)) {
      const double wanted = pass >= first_set && is_power_of_two(pass) ? rho_of_sizes(x) : 0;
      if (wanted > 0) {
        rho.restore(wanted, rho.largest());
        set_matrix();
      }
    } else if (options.follows && rho.follow(pass, at.primal, at.dual)) {
      set_matrix();
    }
    report.keep_if_due<Real>(ctx, states, state.arrays(x),
                             {static_cast<double>(pass + 1), rho.value(), rho.largest(), moved});
  }
  state.leave(rho.value(), start);
  return report.take();
}

#define WHORL_INSTANTIATE(Real)                                                                                        \
  template SolverReport admm<Real>(const Context&, const QuadraticFunction<Real>&, const std::vector<DualTerm<Real>>&, \
                                   ArrayRef<std::complex<Real>>, const AdmmOptions&, const IterationCallback&,         \
                                   const InnerPreconditioner<Real>&, DualStart<Real>*, SolverStates<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
