#include "whorl/solver/fista.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "solver/proximal_state.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

// Limit of the momentum where the versions of g differ.
constexpr double most_with_versions = 0.97;

// Weight of iteration n in the mean over iterations (Shamir and Zhang, section 4, eta = 8): about the last ninth counts.
double weight_in_mean(Index n) { return 9 / static_cast<double>(n + 8); }

}  // namespace

template <Precision Real>
SolverReport fista(const Context& ctx, const QuadraticFunction<Real>& f, const ProximalStep<Real>& g,
                   ConvertedRef<std::complex<Real>> x, const ProximalSolverOptions& options,
                   const IterationCallback& callback, SolverStates<Real>* states) {
  using Complex = std::complex<Real>;
  check_proximal_problem<Real>("fista", f, x, options);
  ProximalReport report("fista", options, callback);
  const double b_norm = norm<Real>(ctx, f.b);
  // z = x + momentum (x - old x), and the gradients at x, at the old x and, from these two, at z.
  Array<Complex> old(ctx, x.shape());
  Array<Complex> z = clone<Complex>(ctx, x);
  Array<Complex> gradient(ctx, x.shape());
  Array<Complex> old_gradient(ctx, x.shape());
  Array<Complex> z_gradient(ctx, x.shape());
  // Where g has versions x is the mean of the iterates, and these are the iterate and the mean of the subgradients.
  Array<Complex> own = g.has_versions ? clone<Complex>(ctx, x) : Array<Complex>();
  Array<Complex> subgradient = g.has_versions ? zeros<Complex>(ctx, x.shape()) : Array<Complex>();
  const ArrayRef<Complex> iterate = g.has_versions ? own.ref() : ArrayRef<Complex>(x);
  const auto gradient_at_iterate = [&](ArrayRef<Complex> result) {
    f.H(ctx, iterate, result);
    axpby<Real>(ctx, -1, f.b, 1, result);
    report.count_application();
    return f.constant + 0.5 * (dot<Real>(ctx, iterate, result).real() - dot<Real>(ctx, iterate, f.b).real());
  };
  std::vector<double> numbers{1, 1, 0};  // the pass, t, and the mean cost
  const auto arrays = [&] {
    std::vector<ArrayRef<Complex>> all{x, z, gradient, z_gradient};
    if (g.has_versions) all.insert(all.end(), {own, subgradient});
    return all;
  };
  if (!report.resume<Real>(ctx, states, arrays(), numbers)) {
    const double start = gradient_at_iterate(gradient) + g.value(ctx, x);
    axpby<Real>(ctx, 1, gradient, 0, z_gradient);
    // The fixed point's residual at the start is not known before the first step; the gradient stands for it.
    const double at_start = norm<Real>(ctx, gradient);
    const double x_norm = norm<Real>(ctx, x);
    if (report.is_last({start, 0, relative_change(at_start, b_norm), at_start * x_norm, 0, b_norm * x_norm})) {
      return report.take();
    }
  }
  double t = numbers[1];
  double mean_cost = numbers[2];
  for (auto pass = static_cast<Index>(numbers[0]);; ++pass) {
    copy<Complex>(ctx, iterate, old);
    copy<Complex>(ctx, z, iterate);
    axpby<Real>(ctx, -1 / f.largest, z_gradient, 1, iterate);
    const double of_g = g.prox(ctx, 1 / f.largest, pass, iterate);
    std::swap(gradient, old_gradient);
    const double cost = gradient_at_iterate(gradient) + of_g;
    axpby<Real>(ctx, -1, iterate, 1, z);  // z - x_new
    // Re <z - x_new, x_new - old x>
    const double uphill = dot<Real>(ctx, z, iterate).real() - dot<Real>(ctx, z, old).real();
    ProximalReport::Iterate at{.cost = cost};
    if (!g.has_versions) at.dual = relative_change(f.largest * norm<Real>(ctx, z), b_norm);
    // L (z - x_new) - gradient at z is a subgradient of g at x_new; with the gradient there it is what is left.
    axpby<Real>(ctx, 1, gradient, -1, z_gradient);
    axpby<Real>(ctx, f.largest, z, 1, z_gradient);
    const double weight = g.has_versions ? weight_in_mean(pass) : 1;
    copy<Complex>(ctx, iterate, z);
    axpby<Real>(ctx, -1, g.has_versions ? x : old.ref(), 1, z);  // x moves by this times the weight
    if (g.has_versions) {
      mean_cost += weight * (cost - mean_cost);
      at.cost = mean_cost;
      axpby<Real>(ctx, weight, z_gradient, 1 - weight, subgradient);
      axpby<Real>(ctx, weight, z, 1, x);
    }
    const double left = norm<Real>(ctx, g.has_versions ? subgradient : z_gradient);
    const double x_norm = norm<Real>(ctx, x);
    if (g.has_versions) at.dual = relative_change(left, b_norm);
    at.gap = x_norm * left;
    at.size = x_norm * b_norm;
    at.change = relative_change(weight * norm<Real>(ctx, z), x_norm);
    if (report.is_last(at)) break;
    const double next = uphill > 0 ? 1 : 0.5 * (1 + std::sqrt(1 + 4 * t * t));
    const double most = g.has_versions ? most_with_versions : 1;
    const double momentum = uphill > 0 ? 0 : std::min(most, (t - 1) / next);
    t = next;
    axpby<Real>(ctx, 1 + momentum, iterate, 0, z);
    axpby<Real>(ctx, -momentum, old, 1, z);
    axpby<Real>(ctx, 1 + momentum, gradient, 0, z_gradient);
    axpby<Real>(ctx, -momentum, old_gradient, 1, z_gradient);
    report.keep_if_due<Real>(ctx, states, arrays(), {static_cast<double>(pass + 1), t, mean_cost});
  }
  return report.take();
}

#define WHORL_INSTANTIATE(Real)                                                                                \
  template SolverReport fista<Real>(const Context&, const QuadraticFunction<Real>&, const ProximalStep<Real>&, \
                                    ArrayRef<std::complex<Real>>, const ProximalSolverOptions&,                \
                                    const IterationCallback&, SolverStates<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
