#include "whorl/recon/regularized_least_squares.hpp"

#include <fmt/format.h>

#include <cmath>

#include "recon/regularized/dual_terms.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/admm.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl {

namespace {

// The eigenvalues of A^H A / s are at most 1, but for the error of s (normal_eigenvalue).
template <class Real>
double largest_of(const RegularizedModel<Real>& model, double lambda) {
  constexpr double margin = 1.02;
  double weights = 0;
  for (const QuadraticPenalty<Real>& term : model.penalties) weights += term.weight;
  return margin + lambda * weights;
}

// By FISTA: one term that has a proximal operator itself.
template <class Real>
SolverReport solve_by_fista(const Context& ctx, const QuadraticFunction<Real>& f, const ProximalPenalty<Real>& only,
                            const ProximalSolverOptions& options, const IterationCallback& advance,
                            ArrayRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  const ProximalFunction<Real>& g = *only.function;
  const ProximalStep<Real> step{[&](const Context& c, double t, Index pass, ArrayRef<Complex> point) {
                                  g.prox(c, t * only.weight, point.reshape(g.domain()), pass);
                                },
                                [&](const Context& c, ArrayRef<const Complex> point) {
                                  return only.weight * g.value(c, point.reshape(g.domain()));
                                }};
  return fista<Real>(ctx, f, step, x, options, advance);
}

// By dual variables.
template <class Real>
SolverReport solve_by_duals(const Context& ctx, const QuadraticFunction<Real>& f,
                            const std::vector<DualTerm<Real>>& terms, RegularizedSolver solver,
                            const ProximalSolverOptions& options, const IterationCallback& advance,
                            ArrayRef<std::complex<Real>> x) {
  if (solver == RegularizedSolver::primal_dual) {
    return primal_dual<Real>(ctx, f, terms, x, PrimalDualOptions{options}, advance);
  }
  return admm<Real>(ctx, f, terms, x, AdmmOptions{options}, advance);
}

// The same with further unknowns behind x, which f does not depend on.
template <class Real>
SolverReport solve_with_more_unknowns(const Context& ctx, const QuadraticFunction<Real>& f,
                                      const std::vector<DualTerm<Real>>& terms, RegularizedSolver solver,
                                      const ProximalSolverOptions& options, const IterationCallback& advance,
                                      Index unknowns, ArrayRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  const auto head = [&](auto all) { return decltype(all)(all.data(), x.shape(), all.device()); };
  const auto rest = [&](auto all) { return decltype(all)(all.data() + x.size(), {unknowns - x.size()}, all.device()); };
  Array<Complex> all = zeros<Complex>(ctx, {unknowns});
  Array<Complex> b = zeros<Complex>(ctx, {unknowns});
  copy<Complex>(ctx, x, head(all.ref()));
  copy<Complex>(ctx, f.b, head(b.ref()));
  const QuadraticFunction<Real> of_all{.H =
                                           [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
                                             f.H(c, head(p), head(q));
                                             fill<Complex>(c, rest(q), 0);
                                           },
                                       .b = b,
                                       .constant = f.constant,
                                       .largest = f.largest};
  SolverReport report = solve_by_duals<Real>(ctx, of_all, terms, solver, options, advance, all);
  copy<Complex>(ctx, head(all.ref()), x);
  return report;
}

}  // namespace

template <Precision Real>
SolverReport regularized_least_squares(const Context& ctx, const std::string& title,
                                       const RegularizedModel<Real>& model,
                                       const std::vector<ProximalPenalty<Real>>& penalties,
                                       const RegularizedOptions& options, ArrayRef<const std::complex<Real>> b,
                                       double constant, ConvertedRef<std::complex<Real>> x) {
  using Complex = std::complex<Real>;
  ProgressStage stage(ctx, title, options.iterations);
  const auto advance = [&](int, double residual) {
    ctx.check_cancel(title);
    stage.advance(1, fmt::format("residual {:.2e}", residual));
    return true;
  };
  const QuadraticFunction<Real> f{
      .H = [&](const Context& c, ArrayRef<const Complex> p,
               ArrayRef<Complex> q) { apply_regularized_normal<Real>(c, model, options.lambda, p, q); },
      .b = b,
      .constant = constant,
      .largest = largest_of(model, options.lambda)};
  const ProximalSolverOptions shared{options.iterations, options.tolerance};
  const bool one_function = penalties.size() == 1 && penalties.front().function != nullptr;
  if (options.solver == RegularizedSolver::fista || (options.solver == RegularizedSolver::automatic && one_function)) {
    if (!one_function) {
      throw ValueError("regularized least squares: fista takes one term that has a proximal operator itself");
    }
    return solve_by_fista<Real>(ctx, f, penalties.front(), shared, advance, x);
  }
  const Index unknowns = recon::count_of_unknowns(x.size(), penalties);
  const auto terms = recon::dual_terms<Real>(x.size(), penalties);
  const SolverReport report =
      unknowns == x.size()
          ? solve_by_duals<Real>(ctx, f, terms, options.solver, shared, advance, x)
          : solve_with_more_unknowns<Real>(ctx, f, terms, options.solver, shared, advance, unknowns, x);
  for (const ProximalPenalty<Real>& one : penalties) {
    if (one.function != nullptr && one.function->is_constraint()) {
      one.function->prox(ctx, 1, x.reshape(one.function->domain()));
    }
  }
  return report;
}

#define WHORL_INSTANTIATE(Real)                                                                                     \
  template SolverReport regularized_least_squares<Real>(                                                            \
      const Context&, const std::string&, const RegularizedModel<Real>&, const std::vector<ProximalPenalty<Real>>&, \
      const RegularizedOptions&, ArrayRef<const std::complex<Real>>, double, ArrayRef<std::complex<Real>>);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
