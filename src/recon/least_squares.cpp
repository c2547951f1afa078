#include "whorl/recon/least_squares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "op/side_by_side.hpp"
#include "recon/adjoint_of_data.hpp"
#include "recon/hold_to.hpp"
#include "solver/overwriting_gradients.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/on_device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/block_diagonal.hpp"
#include "whorl/op/sense_nufft.hpp"
#include "whorl/recon/least_squares_from.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

namespace whorl {

double noise_limit(double noise, double eigenvalue, Index unknowns, Index data) {
  constexpr double part = 0.1;
  const double freedom = 0.5 * static_cast<double>(std::min(unknowns, data));
  return part * noise * std::sqrt(freedom / eigenvalue);
}

template <Precision Real>
double normal_eigenvalue(const Context& ctx, const LinearOperator<Real>& A) {
  using Complex = std::complex<Real>;
  const LargestEigenvalueOptions options;
  ProgressStage stage(ctx, "Lanczos steps", options.iterations);
  const auto apply = [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
    A.normal(c, x, z);
    stage.advance();
  };
  return largest_eigenvalue<Real>(ctx, apply, A.domain(), options).value;
}

template <Precision Real>
RegularizedModel<Real> repeated(const RegularizedModel<Real>& model, Index count) {
  const auto repeat = [&](const Operator<Real>& op) -> Operator<Real> {
    return op == nullptr ? nullptr : std::make_shared<const BlockDiagonal<Real>>(op, count);
  };
  RegularizedModel<Real> several{repeat(model.encoding), model.eigenvalue, {}, model.support};
  for (const QuadraticPenalty<Real>& term : model.penalties) {
    several.penalties.push_back({repeat(term.op), term.weight});
  }
  return several;
}

namespace {

template <class Real>
void check_apart(const char* operation, const char* from_name, ArrayRef<const std::complex<Real>> from,
                 const char* to_name, ArrayRef<const std::complex<Real>> to) {
  if (!overlap(from, to)) return;
  throw ValueError(fmt::format("{}: {} and {} overlap in memory; {} needs an array of its own", operation, from_name,
                               to_name, to_name));
}

// z = before z + factor sum_t w_t W_t^H W_t x
template <class Real>
void add_penalties(const Context& ctx, const RegularizedModel<Real>& model, double factor,
                   ArrayRef<const std::complex<Real>> x, double before, ArrayRef<std::complex<Real>> z) {
  for (const QuadraticPenalty<Real>& term : model.penalties) {
    if (term.op == nullptr) {
      axpby<Real>(ctx, factor * term.weight, x, before, z);
    } else {
      Array<std::complex<Real>> penalized(ctx, x.shape());
      term.op->normal(ctx, x, penalized);
      recon::hold_to<Real>(ctx, model.support.get(), penalized);
      axpby<Real>(ctx, factor * term.weight, penalized, before, z);
    }
    before = 1;
  }
}

template <class Real>
void check_weights(const RegularizedModel<Real>& model, double lambda) {
  if (!(lambda >= 0)) throw ValueError(fmt::format("least squares: lambda is {}, expected 0 or more", lambda));
  if (!(model.eigenvalue > 0)) {
    throw ValueError(
        fmt::format("least squares: a largest eigenvalue of {}, expected a positive one", model.eigenvalue));
  }
}

// z = A^H A x becomes H x. Without operators in the penalties, x and z may be those of several systems.
template <class Real>
void complete_normal(const Context& ctx, const RegularizedModel<Real>& model, double lambda,
                     ArrayRef<const std::complex<Real>> x, ArrayRef<std::complex<Real>> z) {
  if (lambda == 0 || model.penalties.empty()) {
    axpby<Real>(ctx, 0, x, 1 / model.eigenvalue, z);
  } else {
    add_penalties<Real>(ctx, model, lambda, x, 1 / model.eigenvalue, z);
  }
}

// H as the solver takes it.
template <class Real>
auto regularized_normal(const RegularizedModel<Real>& model, double lambda) {
  return [&model, lambda](const Context& ctx, ArrayRef<const std::complex<Real>> p, ArrayRef<std::complex<Real>> q) {
    apply_regularized_normal<Real>(ctx, model, lambda, p, q);
  };
}

auto advance(ProgressStage& stage, IterationCallback callback = {}) {
  // The first iteration told may come after those of an earlier run.
  return [&stage, callback = std::move(callback), before = 0](int done, double residual) mutable {
    stage.advance(done - std::exchange(before, done), fmt::format("residual {:.2e}", residual));
    return !callback || callback(done, residual);
  };
}

template <class Real>
ConjugateGradientOptions solver_options(const LeastSquaresOptions& options, const RegularizedModel<Real>& model) {
  const LinearOperator<Real>& A = *model.encoding;
  return {.iterations = options.iterations,
          .tolerance = options.tolerance,
          .error = noise_limit(options.noise, model.eigenvalue, A.domain().size(), A.range().size())};
}

// Solves H x = b from x, and tells the callback.
template <class Real>
SolverReport solve_watched(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                           const LeastSquaresOptions& options, ArrayRef<const std::complex<Real>> b,
                           ArrayRef<std::complex<Real>> x, const IterationCallback& callback) {
  ProgressStage stage(ctx, title, options.iterations);
  return conjugate_gradient<Real>(ctx, regularized_normal(model, options.lambda), b, x, solver_options(options, model),
                                  advance(stage, callback));
}

// b = A^H d / s. With A = r A', d = n d', x = (n/r) x', r = sqrt(s): (A'^H A' + lambda W^H W) x' = A'^H d' is solved. CG
// does not see the scale of the whole equation, so that of the data is left in it.
template <class Real>
void right_hand_side(const Context& ctx, const LinearOperator<Real>& encoding, double eigenvalue,
                     ArrayRef<const std::complex<Real>> data, ArrayRef<std::complex<Real>> b) {
  recon::adjoint_of_data<Real>(ctx, encoding, data, b);
  axpby<Real>(ctx, 1 / eigenvalue, b, 0, b);
}

// The right-hand sides of several data sets, side by side unless some lie on the host of a GPU: copies are waited for.
template <class Real>
void right_hand_sides(const Context& ctx, const std::vector<Operator<Real>>& encodings, double eigenvalue,
                      const std::vector<ArrayRef<const std::complex<Real>>>& data, ArrayRef<std::complex<Real>> b) {
  const auto one = [&](const Context& beside, Index i) {
    const auto number = static_cast<std::size_t>(i);
    right_hand_side<Real>(beside, *encodings[number], eigenvalue, data[number], b.slice(i));
  };
  const auto count = static_cast<Index>(data.size());
  if (std::ranges::all_of(data, [&](const auto& of) { return of.device() == ctx.device(); })) {
    return side_by_side(ctx, count, encodings.front().domain().size(), one);
  }
  for (Index i = 0; i < count; ++i) one(ctx, i);
}

}  // namespace

template <Precision Real>
void apply_regularized_normal(const Context& ctx, const RegularizedModel<Real>& model, double lambda,
                              ArrayRef<const std::complex<Real>> x, ConvertedRef<std::complex<Real>> z) {
  check_weights(model, lambda);
  model.encoding->normal(ctx, x, z);
  complete_normal<Real>(ctx, model, lambda, x, z);
}

template <Precision Real>
void apply_penalties(const Context& ctx, const RegularizedModel<Real>& model, ArrayRef<const std::complex<Real>> x,
                     ConvertedRef<std::complex<Real>> z) {
  check_apart<Real>("penalties", "x", x, "z", z);
  fill<std::complex<Real>>(ctx, z, 0);
  add_penalties<Real>(ctx, model, 1, x, 1, z);
}

template <Precision Real>
double penalty_energy(const Context& ctx, const RegularizedModel<Real>& model, ArrayRef<const std::complex<Real>> x) {
  double sum = 0;
  for (const QuadraticPenalty<Real>& term : model.penalties) {
    if (term.op == nullptr) {
      sum += term.weight * dot<Real>(ctx, x, x).real();
      continue;
    }
    Array<std::complex<Real>> weighted(ctx, term.op->range());
    term.op->forward(ctx, x, weighted);
    sum += term.weight * dot<Real>(ctx, weighted, weighted).real();
  }
  return sum;
}

template <Precision Real>
SolverReport solve_regularized_normal(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                                      const LeastSquaresOptions& options, ArrayRef<const std::complex<Real>> b,
                                      ConvertedRef<std::complex<Real>> x) {
  return solve_watched<Real>(ctx, title, model, options, b, x, {});
}

template <Precision Real>
SolverReport least_squares_from(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                                ArrayRef<const std::complex<Real>> data, const LeastSquaresOptions& options,
                                ConvertedRef<std::complex<Real>> x, const IterationCallback& callback) {
  check_apart<Real>("least squares", "the data", data, "x", x);
  Array<std::complex<Real>> b(ctx, model.encoding->domain());
  right_hand_side<Real>(ctx, *model.encoding, model.eigenvalue, data, b);
  return solve_watched<Real>(ctx, title, model, options, b, x, callback);
}

template <Precision Real>
SolverReport least_squares(const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
                           ArrayRef<const std::complex<Real>> data, const LeastSquaresOptions& options,
                           ConvertedRef<std::complex<Real>> x) {
  check_apart<Real>("least squares", "the data", data, "x", x);
  fill<std::complex<Real>>(ctx, x, 0);
  return least_squares_from<Real>(ctx, title, model, data, options, x);
}

template <Precision Real>
std::vector<SolverReport> least_squares(const Context& ctx, const std::string& title,
                                        const RegularizedModel<Real>& model,
                                        const std::vector<ArrayRef<const std::complex<Real>>>& data,
                                        const LeastSquaresOptions& options, ConvertedRef<std::complex<Real>> x,
                                        SolverStates<Real>* states) {
  return least_squares<Real>(ctx, title, model, std::vector<Operator<Real>>(data.size(), model.encoding), data, options,
                             x, states);
}

template <Precision Real>
std::vector<SolverReport> least_squares(const Context& ctx, const std::string& title,
                                        const RegularizedModel<Real>& model,
                                        const std::vector<Operator<Real>>& encodings,
                                        const std::vector<ArrayRef<const std::complex<Real>>>& data,
                                        const LeastSquaresOptions& options, ConvertedRef<std::complex<Real>> x,
                                        SolverStates<Real>* states) {
  if (data.empty() || encodings.size() != data.size()) {
    throw ShapeError(fmt::format("least squares: {} encodings for {} data sets; expected one for each, of one or more",
                                 encodings.size(), data.size()));
  }
  check_weights(model, options.lambda);
  for (const auto& one : data) check_apart<Real>("least squares", "the data", one, "x", x);
  Array<std::complex<Real>> b(ctx, encodings.front().domain().with_front(static_cast<Index>(data.size())));
  right_hand_sides<Real>(ctx, encodings, model.eigenvalue, data, b);
  fill<std::complex<Real>>(ctx, x, 0);
  const bool has_operators =
      std::ranges::any_of(model.penalties, [](const QuadraticPenalty<Real>& term) { return term.op != nullptr; });
  const NormalOfSystems<Real> normal = [&](const Context& c, std::span<const Index> systems,
                                           ArrayRef<const std::complex<Real>> p, ArrayRef<std::complex<Real>> q) {
    const Index active = std::ssize(systems);
    std::vector<Operator<Real>> blocks;
    for (const Index system : systems) blocks.push_back(encodings[static_cast<std::size_t>(system)]);
    BlockDiagonal<Real>(std::move(blocks)).normal(c, p, q);
    if (!has_operators) return complete_normal<Real>(c, model, options.lambda, p, q);
    for (Index i = 0; i < active; ++i) complete_normal<Real>(c, model, options.lambda, p.slice(i), q.slice(i));
  };
  ProgressStage stage(ctx, title, options.iterations);
  return conjugate_gradient_detail::conjugate_gradients_from<Real>(
      ctx, normal, std::move(b), x, solver_options(options, model), advance(stage), states);
}

#define WHORL_INSTANTIATE(Real)                                                                                     \
  template double normal_eigenvalue<Real>(const Context&, const LinearOperator<Real>&);                             \
  template RegularizedModel<Real> repeated<Real>(const RegularizedModel<Real>&, Index);                             \
  template void apply_regularized_normal<Real>(const Context&, const RegularizedModel<Real>&, double,               \
                                               ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>);   \
  template void apply_penalties<Real>(const Context&, const RegularizedModel<Real>&,                                \
                                      ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>);            \
  template double penalty_energy<Real>(const Context&, const RegularizedModel<Real>&,                               \
                                       ArrayRef<const std::complex<Real>>);                                         \
  template SolverReport solve_regularized_normal<Real>(                                                             \
      const Context&, const std::string&, const RegularizedModel<Real>&, const LeastSquaresOptions&,                \
      ArrayRef<const std::complex<Real>>, ArrayRef<std::complex<Real>>);                                            \
  template SolverReport least_squares<Real>(const Context&, const std::string&, const RegularizedModel<Real>&,      \
                                            ArrayRef<const std::complex<Real>>, const LeastSquaresOptions&,         \
                                            ArrayRef<std::complex<Real>>);                                          \
  template SolverReport least_squares_from<Real>(const Context&, const std::string&, const RegularizedModel<Real>&, \
                                                 ArrayRef<const std::complex<Real>>, const LeastSquaresOptions&,    \
                                                 ArrayRef<std::complex<Real>>, const IterationCallback&);           \
  template std::vector<SolverReport> least_squares<Real>(                                                           \
      const Context&, const std::string&, const RegularizedModel<Real>&,                                            \
      const std::vector<ArrayRef<const std::complex<Real>>>&, const LeastSquaresOptions&,                           \
      ArrayRef<std::complex<Real>>, SolverStates<Real>*);                                                           \
  template std::vector<SolverReport> least_squares<Real>(                                                           \
      const Context&, const std::string&, const RegularizedModel<Real>&, const std::vector<Operator<Real>>&,        \
      const std::vector<ArrayRef<const std::complex<Real>>>&, const LeastSquaresOptions&,                           \
      ArrayRef<std::complex<Real>>, SolverStates<Real>*);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
