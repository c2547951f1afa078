#include "whorl/solver/primal_dual.hpp"

#include <fmt/format.h>

#include "solver/proximal_state.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

template <Precision Real>
SolverReport primal_dual(const Context& ctx, const QuadraticFunction<Real>& f, const std::vector<DualTerm<Real>>& terms,
                         ConvertedRef<std::complex<Real>> x, const PrimalDualOptions& options,
                         const IterationCallback& callback, DualStart<Real>* start, SolverStates<Real>* states) {
  using Complex = std::complex<Real>;
  check_proximal_problem<Real>("primal-dual", f, x, options);
  if (!(options.sigma > 0)) {
    throw ValueError(fmt::format("primal-dual: a dual step of {}, expected more than 0", options.sigma));
  }
  double norms = 0;
  for (const DualTerm<Real>& term : terms) norms += term.norm * term.norm;
  DualState<Real> state(ctx, f, terms, x, start);
  ProximalReport report("primal-dual", options, callback);
  report.count_application();
  StepBalance sigma(start != nullptr && start->step > 0 ? start->step : options.sigma,
                    {.first = 20, .every = 10, .fading = 0.9});
  std::vector<double> numbers{1, sigma.value(), sigma.largest(), 0};  // the pass, sigma and its reach, the last change
  if (report.resume<Real>(ctx, states, state.arrays(x), numbers)) sigma.restore(numbers[1], numbers[2]);
  Array<Complex> towards(ctx, x.shape());
  double moved = numbers[3];
  for (auto pass = static_cast<Index>(numbers[0]);; ++pass) {
    auto at = state.step(ctx, sigma.value(), pass, x);
    at.change = relative_change(moved, state.x_norm());
    if (report.is_last(at)) break;
    state.descent(ctx, towards);
    const double tau = 1 / (0.5 * f.largest + sigma.value() * norms);
    moved = tau * norm<Real>(ctx, towards);
    axpby<Real>(ctx, tau, towards, 1, x);
    f.H(ctx, x, state.gradient());
    axpby<Real>(ctx, -1, f.b, 1, state.gradient());
    report.count_application();
    sigma.follow(pass, at.primal, at.dual);
    report.keep_if_due<Real>(ctx, states, state.arrays(x),
                             {static_cast<double>(pass + 1), sigma.value(), sigma.largest(), moved});
  }
  state.leave(sigma.value(), start);
  return report.take();
}

#define WHORL_INSTANTIATE(Real)                                                                                 \
  template SolverReport primal_dual<Real>(const Context&, const QuadraticFunction<Real>&,                       \
                                          const std::vector<DualTerm<Real>>&, ArrayRef<std::complex<Real>>,     \
                                          const PrimalDualOptions&, const IterationCallback&, DualStart<Real>*, \
                                          SolverStates<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
