#include "whorl/recon/regularized_noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "recon/quality/noise_streams.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/add_products.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

// The size of noise for derivatives, relative to that of the data.
constexpr double small = 0.1;

template <class Real>
RegularizedStart<Real> copy_of(const Context& ctx, const RegularizedStart<Real>& start) {
  using Complex = std::complex<Real>;
  RegularizedStart<Real> copy;
  copy.duals.step = start.duals.step;
  for (const Array<Complex>& one : start.duals.duals) copy.duals.duals.push_back(clone<Complex>(ctx, one.ref()));
  if (start.unknowns.size() > 0) copy.unknowns = clone<Complex>(ctx, start.unknowns.ref());
  return copy;
}

// A^H n / s for noise of a stream.
template <class Real>
Array<std::complex<Real>> adjoint_of_noise(const Context& ctx, const RegularizedModel<Real>& model, std::uint64_t seed,
                                           std::uint64_t stream) {
  using Complex = std::complex<Real>;
  Array<Complex> noise(ctx, model.encoding->range());
  recon::fill_white_noise<Real>(ctx, noise, seed, stream);
  Array<Complex> b(ctx, model.encoding->domain());
  model.encoding->adjoint(ctx, noise, b);
  axpby<Real>(ctx, 1 / model.eigenvalue, b, 0, b);
  return b;
}

// Tight enough for a change of b by that of the size given: a solve that starts from the image would end before it has
// followed. A hundredth of the change is less than what the number of replicas leaves.
template <class Real>
RegularizedOptions options_for_change(const Context& ctx, RegularizedOptions options,
                                      ArrayRef<const std::complex<Real>> change, double size,
                                      ArrayRef<const std::complex<Real>> b) {
  const double relative = size * norm<Real>(ctx, change) / norm<Real>(ctx, b);
  options.tolerance = std::min(options.tolerance, 0.01 * relative);
  options.change = 0;
  return options;
}

}  // namespace

LambdaSweepOptions usual_weights() { return {.lowest = 1e-5, .highest = 0.1, .per_decade = 3}; }

template <Precision Real>
StandardDeviation<Real> regularized_standard_deviation(
    const Context& ctx, const std::string& title, const RegularizedModel<Real>& model,
    const std::vector<ProximalPenalty<Real>>& penalties, const RegularizedOptions& options,
    ArrayRef<const std::complex<Real>> b, ArrayRef<const std::complex<Real>> x, const RegularizedStart<Real>& start,
    const StandardDeviationOptions& noise, double level) {
  using Complex = std::complex<Real>;
  check_standard_deviation(noise);
  const bool linear = noise.method == StandardDeviationMethod::probe;
  StandardDeviation<Real> result;
  ProgressStage stage(ctx, title, noise.count);
  Array<Complex> image(ctx, x.shape());
  const double size = linear ? small * level : level;
  const RegularizedOptions tight = [&] {
    const Array<Complex> first = adjoint_of_noise(ctx, model, noise.seed, 0);
    return options_for_change<Real>(ctx, options, first, size, b);
  }();
  const auto solve = [&](int number, ArrayRef<const Complex> right) {
    copy<Complex>(ctx, x, image);
    RegularizedStart<Real> from = copy_of(ctx, start);
    const SolverReport report =
        regularized_least_squares<Real>(ctx, fmt::format("{} {}", linear ? "probe" : "replica", number), model,
                                        penalties, tight, right, 0, image, &from);
    result.iterations = std::max(result.iterations, report.iterations);
    result.residual = std::max(result.residual, report.residuals.back());
  };
  // Differences to the image that the same steps make of the data as they are.
  solve(0, b);
  const Array<Complex> base = clone<Complex>(ctx, image.ref());
  Array<Complex> sum = zeros<Complex>(ctx, x.shape());
  Array<double> squares = zeros<double>(ctx, x.shape());
  for (int i = 0; i < noise.count; ++i) {
    Array<Complex> right = adjoint_of_noise(ctx, model, noise.seed, static_cast<std::uint64_t>(i));
    axpby<Real>(ctx, 1, b, size, right);
    solve(i + 1, right);
    axpby<Real>(ctx, -1, base, 1, image);
    axpby<Real>(ctx, 1, image, 1, sum);
    const auto one = image.ref().reshape(x.shape().with_front(1));
    add_products<Real>(ctx, one, one, squares);
    stage.advance();
  }
  const Array<double> square_sums = to_host<double>(ctx, squares.ref());
  const Array<Complex> sums = to_host<Complex>(ctx, sum.ref());
  result.values = Array<Real>(ctx.host(), x.shape());
  const double count = noise.count;
  for (std::size_t i = 0; i < square_sums.span().size(); ++i) {
    const double square = square_sums.span()[i];
    const double of_mean = std::norm(std::complex<double>(sums.span()[i])) / count;
    const double variance = linear ? square / (count * small * small) : std::max(square - of_mean, 0.0) / (count - 1);
    result.values.span()[i] = static_cast<Real>(std::sqrt(variance));
  }
  result.relative_error = 0.5 / std::sqrt(linear ? count : count - 1);
  return result;
}

template <Precision Real>
LambdaCurve weight_curve(const Context& ctx, const RegularizedModel<Real>& model,
                         const std::function<std::vector<ProximalPenalty<Real>>(double weight)>& penalties,
                         const RegularizedOptions& options, ArrayRef<const std::complex<Real>> data,
                         const LambdaSweepOptions& sweep) {
  using Complex = std::complex<Real>;
  const double decades = std::log10(sweep.highest / sweep.lowest);
  const int steps = static_cast<int>(std::lround(decades * sweep.per_decade));
  if (!(sweep.lowest > 0) || !(decades > 0) || steps < 4) {
    throw ValueError(fmt::format("choice of weights: {} per decade from {} to {}, expected at least 5 rising weights",
                                 sweep.per_decade, sweep.lowest, sweep.highest));
  }
  ProgressStage stage(ctx, "choice of weights", steps + 1);
  LambdaCurve curve{.points = {}, .samples = data.size(), .eigenvalue = model.eigenvalue};
  Array<Complex> b(ctx, model.encoding->domain());
  model.encoding->adjoint(ctx, data, b);
  axpby<Real>(ctx, 1 / model.eigenvalue, b, 0, b);
  std::vector<Array<Complex>> noise;
  for (int i = 0; i < sweep.probes; ++i) {
    noise.push_back(adjoint_of_noise(ctx, model, sweep.seed, static_cast<std::uint64_t>(i)));
  }
  Array<Complex> x = zeros<Complex>(ctx, b.shape());
  Array<Complex> other(ctx, b.shape());
  Array<Complex> samples(ctx, data.shape());
  RegularizedStart<Real> start;
  for (int i = steps; i >= 0; --i) {
    LambdaPoint point{.lambda = sweep.lowest * std::pow(10, decades * i / steps)};
    const auto terms = penalties(point.lambda);
    RegularizedOptions how = options;
    const auto solve = [&](ArrayRef<const Complex> right, ArrayRef<Complex> image, RegularizedStart<Real>& from) {
      SolverReport report = regularized_least_squares<Real>(ctx, fmt::format("weight {:.2e}", point.lambda), model,
                                                            terms, how, right, 0, image, &from);
      curve.iterations += report.iterations;
      return report;
    };
    SolverReport report = solve(b, x, start);
    model.encoding->forward(ctx, x, samples);
    axpby<Real>(ctx, 1, data, -1, samples);
    point.residual = std::pow(norm<Real>(ctx, samples), 2);
    const double size = small * std::sqrt(point.residual / static_cast<double>(data.size()));
    point.freedom = noise.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
    if (!noise.empty()) {
      how = options_for_change<Real>(ctx, options, noise.front(), size, b);
      report = solve(b, x, start);
    }
    if (report.stop_reason == StopReason::iterations) ++curve.unfinished;
    for (const Array<Complex>& one : noise) {
      Array<Complex> right = clone<Complex>(ctx, one.ref());
      axpby<Real>(ctx, 1, b, size, right);
      copy<Complex>(ctx, x, other);
      RegularizedStart<Real> from = copy_of(ctx, start);
      solve(right, other, from);
      axpby<Real>(ctx, -1, x, 1, other);
      point.freedom += model.eigenvalue * dot<Real>(ctx, one, other).real() / (size * sweep.probes);
    }
    // The terms' sum over the weight: the cost without the quadratic part, <x, H x> / 2 - Re <b, x>.
    apply_regularized_normal<Real>(ctx, model, options.lambda, x, other);
    const double quadratic = 0.5 * dot<Real>(ctx, x, other).real() - dot<Real>(ctx, x, b).real();
    point.penalty = std::pow(std::max(report.costs.back() - quadratic, 0.0) / point.lambda, 2);
    curve.points.insert(curve.points.begin(), point);
    stage.advance();
  }
  return curve;
}

#define WHORL_INSTANTIATE(Real)                                                                                        \
  template StandardDeviation<Real> regularized_standard_deviation<Real>(                                               \
      const Context&, const std::string&, const RegularizedModel<Real>&, const std::vector<ProximalPenalty<Real>>&,    \
      const RegularizedOptions&, ArrayRef<const std::complex<Real>>, ArrayRef<const std::complex<Real>>,               \
      const RegularizedStart<Real>&, const StandardDeviationOptions&, double);                                         \
  template LambdaCurve weight_curve<Real>(                                                                             \
      const Context&, const RegularizedModel<Real>&, const std::function<std::vector<ProximalPenalty<Real>>(double)>&, \
      const RegularizedOptions&, ArrayRef<const std::complex<Real>>, const LambdaSweepOptions&);
WHORL_INSTANTIATE(float)
WHORL_INSTANTIATE(double)
#undef WHORL_INSTANTIATE

}  // namespace whorl
