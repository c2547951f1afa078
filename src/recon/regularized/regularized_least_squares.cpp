#include "whorl/recon/regularized_least_squares.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/solver/admm.hpp"
#include "whorl/solver/fista.hpp"
#include "whorl/solver/primal_dual.hpp"

namespace whorl {

namespace {

// Total variation by its dual step.
template <class Real>
DualTerm<Real> dual_term(const TotalVariation<Real>& tv) {
  using Complex = std::complex<Real>;
  const Shape image = tv.domain();
  return {.range = tv.range(),
          .norm = 1,
          .step =
              [&tv, image](const Context& ctx, double sigma, Index, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
                const DualStepSums sums = tv.dual_step(ctx, sigma, x.reshape(image), y);
                return typename DualTerm<Real>::Sums{sums.value, sums.change};
              },
          .add_adjoint = [&tv, image](const Context& ctx, ArrayRef<const Complex> y,
                                      ArrayRef<Complex> sum) { tv.add_adjoint(ctx, y, sum.reshape(image)); },
          .add_normal =
              [&tv, image](const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) {
                tv.add_normal(ctx, factor, x.reshape(image), sum.reshape(image));
              }};
}

// weight g(x), with W = 1, by Moreau's identity.
template <class Real>
DualTerm<Real> dual_term(const ProximalFunction<Real>& g, double weight) {
  using Complex = std::complex<Real>;
  return {
      .range = g.domain(),
      .norm = 1,
      .step =
          [&g, weight](const Context& ctx, double sigma, Index pass, ArrayRef<const Complex> x, ArrayRef<Complex> y) {
            typename DualTerm<Real>::Sums sums;
            sums.value = weight * g.value(ctx, x.reshape(g.domain()));
            Array<Complex> old = clone<Complex>(ctx, y);
            axpby<Real>(ctx, sigma, x.reshape(y.shape()), 1, y);
            g.dual_prox(ctx, sigma, y, weight, pass);
            axpby<Real>(ctx, -1, y, 1, old);
            sums.change = dot<Real>(ctx, old, old).real();
            return sums;
          },
      .add_adjoint = [](const Context& ctx, ArrayRef<const Complex> y,
                        ArrayRef<Complex> sum) { axpby<Real>(ctx, 1, y, 1, sum.reshape(y.shape())); },
      .add_normal = [](const Context& ctx, double factor, ArrayRef<const Complex> x,
                       ArrayRef<Complex> sum) { axpby<Real>(ctx, factor, x, 1, sum); }};
}

// The eigenvalues of A^H A / s are at most 1, but for the error of s (normal_eigenvalue).
template <class Real>
double largest_of(const RegularizedModel<Real>& model, double lambda) {
  constexpr double margin = 1.02;
  double weights = 0;
  for (const QuadraticPenalty<Real>& term : model.penalties) weights += term.weight;
  return margin + lambda * weights;
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
  };
  const QuadraticFunction<Real> f{
      .H = [&](const Context& c, ArrayRef<const Complex> p,
               ArrayRef<Complex> q) { apply_regularized_normal<Real>(c, model, options.lambda, p, q); },
      .b = b,
      .constant = constant,
      .largest = largest_of(model, options.lambda)};
  const ProximalSolverOptions shared{options.iterations, options.tolerance};
  SolverReport report;
  const bool one_function = penalties.size() == 1 && penalties.front().function != nullptr;
  if (options.solver == RegularizedSolver::fista || (options.solver == RegularizedSolver::automatic && one_function)) {
    if (!one_function) throw ValueError("regularized least squares: fista takes one term that is not total variation");
    const ProximalPenalty<Real>& only = penalties.front();
    const ProximalFunction<Real>& g = *only.function;
    const ProximalStep<Real> step{[&](const Context& c, double t, Index pass, ArrayRef<Complex> point) {
                                    g.prox(c, t * only.weight, point.reshape(g.domain()), pass);
                                  },
                                  [&](const Context& c, ArrayRef<const Complex> point) {
                                    return only.weight * g.value(c, point.reshape(g.domain()));
                                  }};
    return fista<Real>(ctx, f, step, x, shared, advance);
  }
  std::vector<DualTerm<Real>> terms;
  for (const ProximalPenalty<Real>& one : penalties) {
    terms.push_back(one.function != nullptr ? dual_term<Real>(*one.function, one.weight)
                                            : dual_term<Real>(*one.total_variation));
  }
  if (options.solver == RegularizedSolver::primal_dual) {
    report = primal_dual<Real>(ctx, f, terms, x, PrimalDualOptions{shared}, advance);
  } else {
    report = admm<Real>(ctx, f, terms, x, AdmmOptions{shared}, advance);
  }
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
