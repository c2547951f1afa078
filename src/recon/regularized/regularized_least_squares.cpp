#include "whorl/recon/regularized_least_squares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "recon/hold_to.hpp"
#include "recon/regularized/dual_terms.hpp"
#include "recon/regularized/inner_preconditioner.hpp"
#include "recon/regularizers/term.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/admm.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl {

namespace {

// For the difference that a small change of b makes: rho relative to that of the start. Larger values hold the difference
// back, so that it seems to have settled before it has; with smaller ones weak terms go on and on, and random shifts move the
// image more. More steps of conjugate gradient for each iteration bring the rounding errors of single precision into it, and
// cost more than they gain.
void set_for_nearby(bool preconditioned, bool versions, double& rho, AdmmOptions& options) {
  rho *= versions ? 0.5 : preconditioned ? 0.15 : 0.4;
  options.follows = false;
  options.relaxation = 1.5;
  options.inner_tolerance = preconditioned ? 0.55 : 0.4;
  options.inner_iterations = preconditioned ? 2 : 3;
}

// The eigenvalues of A^H A / s are at most 1, but for the error of s (normal_eigenvalue).
template <class Real>
double largest_of(const RegularizedModel<Real>& model, double lambda) {
  constexpr double margin = 1.02;
  double weights = 0;
  for (const QuadraticPenalty<Real>& term : model.penalties) weights += term.weight;
  return margin + lambda * weights;
}

ProximalSolverOptions shared_options(const RegularizedOptions& options) {
  return {options.iterations, options.tolerance, options.change};
}

// By FISTA: one term that has a proximal operator itself.
template <class Real>
SolverReport solve_by_fista(const Context& ctx, const QuadraticFunction<Real>& f, const ProximalPenalty<Real>& only,
                            const ProximalSolverOptions& options, const IterationCallback& advance,
                            ArrayRef<std::complex<Real>> x, SolverStates<Real>* states) {
  using Complex = std::complex<Real>;
  const ProximalFunction<Real>& g = *only.weighted()->g;
  const double weight = only.weighted()->weight;
  const Index copies = recon::count_of_copies<Real>(x.size(), {only});
  const auto copy_of = [&g](auto all, Index copy) {
    return decltype(all)(all.data() + copy * g.domain().size(), g.domain(), all.device());
  };
  const ProximalStep<Real> step{[&](const Context& c, double t, Index pass, ArrayRef<Complex> point) {
                                  double value = 0;
                                  for (Index i = 0; i < copies; ++i) {
                                    value += g.prox_and_value(c, t * weight, copy_of(point, i), pass);
                                  }
                                  return weight * value;
                                },
                                [&](const Context& c, ArrayRef<const Complex> point) {
                                  double value = 0;
                                  for (Index i = 0; i < copies; ++i) value += g.value(c, copy_of(point, i));
                                  return weight * value;
                                },
                                g.has_versions()};
  return fista<Real>(ctx, f, step, x, options, advance, states);
}

// The terms of an x that is 0 outside the model's support: W is W P there. Unknowns behind x are free.
template <class Real>
std::vector<DualTerm<Real>> within_support(std::vector<DualTerm<Real>> terms, const RegularizedModel<Real>& model,
                                           const Shape& x) {
  using Complex = std::complex<Real>;
  if (model.support == nullptr) return terms;
  const auto hold = [&model, x](const Context& ctx, ArrayRef<Complex> all) {
    recon::hold_to<Real>(ctx, model.support.get(), ArrayRef<Complex>(all.data(), x, all.device()));
  };
  for (DualTerm<Real>& term : terms) {
    term.add_adjoint = [hold, add = std::move(term.add_adjoint)](const Context& ctx, ArrayRef<const Complex> y,
                                                                 ArrayRef<Complex> sum) {
      add(ctx, y, sum);
      hold(ctx, sum);
    };
    term.add_normal = [hold, add = std::move(term.add_normal)](const Context& ctx, double factor,
                                                               ArrayRef<const Complex> p, ArrayRef<Complex> sum) {
      add(ctx, factor, p, sum);
      hold(ctx, sum);
    };
  }
  return terms;
}

// Frames and images of x: where the terms do not say which axis has the frames, x counts as one image.
template <class Real>
Shape series_of(const std::vector<ProximalPenalty<Real>>& penalties, const Shape& x) {
  const Index copies = recon::count_of_copies(x.size(), penalties);
  for (const ProximalPenalty<Real>& one : penalties) {
    const Shape& domain = one.domain();
    if (domain.rank() == 4) return domain.tail().with_front(copies * domain[0]);
  }
  return x.rank() < 4 ? x.with_front(1) : x;
}

// Arguments of all solvers by dual variables beside the functions.
template <class Real>
struct DualSolve {
  const RegularizedOptions& options;
  const IterationCallback& advance;
  Shape series;    // [frame, (z,) y, x]
  Index own;       // values of x
  Index unknowns;  // those and the ones behind them
  RegularizedStart<Real>* start;
  SolverStates<Real>* states;
  recon::EncodingSpectra<Real>* spectra;
  bool shows_x;  // whether x has to be there at each iteration

  DualStart<Real>* duals() const { return start == nullptr ? nullptr : &start->duals; }
};

template <class Real>
SolverReport solve_by_duals(const Context& ctx, const QuadraticFunction<Real>& f,
                            const std::vector<DualTerm<Real>>& terms, const DualSolve<Real>& how,
                            ArrayRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  const ProximalSolverOptions shared = shared_options(how.options);
  if (how.options.solver == RegularizedSolver::primal_dual) {
    return primal_dual<Real>(ctx, f, terms, x, PrimalDualOptions{shared}, how.advance, how.duals(), how.states);
  }
  InnerPreconditioner<Real> preconditioner;
  const bool is_known = how.spectra != nullptr && how.spectra->values != nullptr;
  if (how.options.precondition) {
    const NormalFunction<Real> flat = [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
      f.H(c, p.reshape(x.shape()), q.reshape(x.shape()));
    };
    preconditioner =
        recon::circulant_inner_preconditioner<Real>(ctx, flat, terms, how.series, how.unknowns, f.b, how.spectra);
  }
  AdmmOptions options{shared};
  options.by_sizes = how.unknowns > how.own;
  const bool preconditioned = preconditioner.apply != nullptr;
  // Two or three steps of conjugate gradient are enough then; the relaxation gains nothing where it takes ten.
  if (preconditioned) options.relaxation = 1.6;
  if (how.options.nearby && how.start != nullptr) {
    const bool versions = std::any_of(terms.begin(), terms.end(), [](const auto& term) { return term.has_versions; });
    set_for_nearby(preconditioned, versions, how.start->duals.step, options);
  }
  SolverReport report = admm<Real>(ctx, f, terms, x, options, how.advance, preconditioner, how.duals(), how.states);
  if (preconditioned && !is_known) ++report.operator_applications;  // for the spectra
  return report;
}

// Solves with further unknowns behind x, which f does not depend on.
template <class Real>
SolverReport solve_with_more_unknowns(const Context& ctx, const QuadraticFunction<Real>& f,
                                      const std::vector<DualTerm<Real>>& terms, const DualSolve<Real>& how,
                                      ArrayRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  const auto head = [&](auto all) { return decltype(all)(all.data(), x.shape(), all.device()); };
  const auto rest = [&](auto all) {
    return decltype(all)(all.data() + x.size(), {how.unknowns - x.size()}, all.device());
  };
  Array<Complex> all = zeros<Complex>(ctx, {how.unknowns});
  Array<Complex> b = zeros<Complex>(ctx, {how.unknowns});
  copy<Complex>(ctx, x, head(all.ref()));
  if (how.start != nullptr && how.start->unknowns.size() > 0) {
    copy<Complex>(ctx, how.start->unknowns, rest(all.ref()));
  }
  copy<Complex>(ctx, f.b, head(b.ref()));
  const QuadraticFunction<Real> of_all{.H =
                                           [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
                                             f.H(c, head(p), head(q));
                                             fill<Complex>(c, rest(q), 0);
                                           },
                                       .b = b,
                                       .constant = f.constant,
                                       .largest = f.largest};
  const IterationCallback advance = [&](int done, double residual) {
    if (how.shows_x) copy<Complex>(ctx, head(all.ref()), x);
    return how.advance(done, residual);
  };
  const DualSolve<Real> of_unknowns{how.options, advance,    how.series,  how.own,    how.unknowns,
                                    how.start,   how.states, how.spectra, how.shows_x};
  SolverReport report = solve_by_duals<Real>(ctx, of_all, terms, of_unknowns, all);
  copy<Complex>(ctx, head(all.ref()), x);
  if (how.start != nullptr) how.start->unknowns = clone<Complex>(ctx, rest(all.ref()));
  return report;
}

}  // namespace

template <class Real>
SolverReport recon::solve_regularized(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                                      const std::vector<ProximalPenalty<Real>>& penalties,
                                      const RegularizedOptions& options, ArrayRef<const std::complex<Real>> b,
                                      double constant, ArrayRef<std::complex<Real>> x, RegularizedStart<Real>* start,
                                      SolverStates<Real>* states, const IterationCallback& callback,
                                      EncodingSpectra<Real>* spectra) {
  using Complex = std::complex<Real>;
  ProgressStage stage(ctx, title, options.iterations);
  // The first iteration told may come after those of an earlier run.
  const IterationCallback advance = [&, before = 0](int done, double residual) mutable {
    ctx.check_cancel(title);
    stage.advance(done - std::exchange(before, done), fmt::format("residual {:.2e}", residual));
    return !callback || callback(done, residual);
  };
  const QuadraticFunction<Real> f{
      .H = [&](const Context& c, ArrayRef<const Complex> p,
               ArrayRef<Complex> q) { apply_regularized_normal<Real>(c, model, options.lambda, p, q); },
      .b = b,
      .constant = constant,
      .largest = largest_of(model, options.lambda)};
  if (recon::solver_of(options.solver, penalties, model.support != nullptr) == RegularizedSolver::fista) {
    return solve_by_fista<Real>(ctx, f, penalties.front(), shared_options(options), advance, x, states);
  }
  const auto terms = within_support(recon::dual_terms<Real>(x.size(), penalties), model, x.shape());
  const DualSolve<Real> how{
      options, advance, series_of(penalties, x.shape()), x.size(), recon::count_of_unknowns(x.size(), penalties), start,
      states,  spectra, static_cast<bool>(callback)};
  const SolverReport report = how.unknowns == x.size() ? solve_by_duals<Real>(ctx, f, terms, how, x)
                                                       : solve_with_more_unknowns<Real>(ctx, f, terms, how, x);
  for (const ProximalPenalty<Real>& one : penalties) {
    const WeightedFunction<Real>* const term = one.weighted();
    if (term == nullptr || !term->g->is_constraint()) continue;
    const Shape& image = one.domain();
    for (Index first = 0; first < x.size(); first += image.size()) {
      term->g->prox(ctx, 1, ArrayRef<Complex>(x.data() + first, image, x.device()));
    }
  }
  return report;
}

template <Precision Real>
SolverReport regularized_least_squares(const Context& ctx, const std::string& title,
                                       const RegularizedModel<Real>& model,
                                       const std::vector<ProximalPenalty<Real>>& penalties,
                                       const RegularizedOptions& options, ArrayRef<const std::complex<Real>> b,
                                       double constant, ConvertedRef<std::complex<Real>> x,
                                       RegularizedStart<Real>* start, SolverStates<Real>* states,
                                       const IterationCallback& callback) {
  return recon::solve_regularized<Real>(ctx, title, model, penalties, options, b, constant, x, start, states, callback,
                                        nullptr);
}

template <Precision Real>
double largest_magnitude(const Context& ctx, ArrayRef<const std::complex<Real>> b) {
  const bool on_host = b.device().kind == DeviceKind::cpu;
  const Array<std::complex<Real>> copy =
      on_host ? Array<std::complex<Real>>() : to_host<const std::complex<Real>>(ctx, b);
  double largest = 0;
  for (const std::complex<Real> value : on_host ? b.span() : copy.ref().span()) {
    largest = std::max(largest, static_cast<double>(std::norm(value)));
  }
  return std::sqrt(largest);
}

template <Precision Real>
std::vector<ProximalPenalty<Real>> make_penalties(const Shape& series, const std::vector<Regularizer>& regularizers,
                                                  double unit) {
  std::vector<ProximalPenalty<Real>> penalties;
  for (const Regularizer& what : regularizers) {
    if (what.spans_frames() && series[0] == 1) {
      throw ValueError(fmt::format(
          "regularizer {}: it holds frames of a slice together, and there is one; use a scan with more frames, or cut "
          "it into frames (--spokes-per-frame)",
          recon::descriptor_of(what).word));
    }
    const recon::RegularizerTerm& term = recon::descriptor_of(what);
    if constexpr (std::is_same_v<Real, float>) {
      penalties.push_back(term.make(series, what, unit));
    } else {
      penalties.push_back(term.make_double(series, what, unit));
    }
  }
  return penalties;
}

#define WHORL_INSTANTIATE(Real)                                                                                     \
  template double largest_magnitude<Real>(const Context&, ArrayRef<const std::complex<Real>>);                      \
  template std::vector<ProximalPenalty<Real>> make_penalties<Real>(const Shape&, const std::vector<Regularizer>&,   \
                                                                   double);                                         \
  template SolverReport regularized_least_squares<Real>(                                                            \
      const Context&, const std::string&, const RegularizedModel<Real>&, const std::vector<ProximalPenalty<Real>>&, \
      const RegularizedOptions&, ArrayRef<const std::complex<Real>>, double, ArrayRef<std::complex<Real>>,          \
      RegularizedStart<Real>*, SolverStates<Real>*, const IterationCallback&);                                      \
  template SolverReport recon::solve_regularized<Real>(                                                             \
      const Context&, const std::string&, const RegularizedModel<Real>&, const std::vector<ProximalPenalty<Real>>&, \
      const RegularizedOptions&, ArrayRef<const std::complex<Real>>, double, ArrayRef<std::complex<Real>>,          \
      RegularizedStart<Real>*, SolverStates<Real>*, const IterationCallback&, recon::EncodingSpectra<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
