#include "whorl/recon/lambda_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "recon/adjoint_of_data.hpp"
#include "recon/quality/noise_streams.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/option_tables.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl {

namespace {

constexpr const char* operation = "choice of lambda";

// The penalty is |x|^2.
template <class Real>
bool is_tikhonov(const RegularizedModel<Real>& model) {
  return model.penalties.size() == 1 && model.penalties.front().op == nullptr && model.penalties.front().weight == 1;
}

std::vector<double> grid(LambdaSweepOptions options, bool of_values) {
  check_options(options);
  if (options.lowest == 0) options.lowest = of_values ? 1e-5 : 1e-3;
  if (options.highest == 0) options.highest = of_values ? 1 : 100;
  if (options.lowest >= options.highest) {
    throw ValueError(
        fmt::format("{}: lambda from {} to {}; expected rising numbers", operation, options.lowest, options.highest));
  }
  const double decades = std::log10(options.highest / options.lowest);
  const int steps = static_cast<int>(std::lround(decades * options.per_decade));
  if (steps < 4) {
    throw ValueError(fmt::format("{}: {} lambda from {} to {}, expected at least 5; widen the range", operation,
                                 steps + 1, options.lowest, options.highest));
  }
  std::vector<double> lambda;
  for (int i = 0; i <= steps; ++i) lambda.push_back(options.lowest * std::pow(10, decades * i / steps));
  return lambda;
}

template <class Real>
class Sweep {
 public:
  using Complex = std::complex<Real>;

  Sweep(const Context& ctx, const RegularizedModel<Real>& model, ArrayRef<const Complex> data,
        const LambdaSweepOptions& options)
      : model_(model),
        data_(data),
        options_(options),
        image_(zeros<Complex>(ctx, model.encoding->domain())),
        image_above_(ctx, model.encoding->domain()),
        right_hand_side_(ctx, model.encoding->domain()),
        predicted_(ctx, model.encoding->range()) {
    recon::scaled_adjoint<Real>(ctx, *model_.encoding, model_.eigenvalue, data, right_hand_side_);
    right_hand_side_norm_ = norm<Real>(ctx, right_hand_side_);
    for (int i = 0; i < options.probes; ++i) probes_.push_back(make_probe(ctx, options.seed, i));
  }

  LambdaPoint point(const Context& ctx, double lambda, LambdaCurve& curve) {
    LambdaPoint point{.lambda = lambda};
    point.penalty = solve_image(ctx, lambda, curve);
    model_.encoding->forward(ctx, image_, predicted_);
    axpby<Real>(ctx, 1, data_, -1, predicted_);
    point.residual = energy(ctx, predicted_);
    point.freedom = probes_.empty() ? std::numeric_limits<double>::quiet_NaN() : 0;
    const auto unknowns = static_cast<double>(image_.size());
    for (Probe& probe : probes_) {
      if (!solve(ctx, lambda, {.iterations = options_.probe_iterations, .tolerance = probe_tolerance}, probe.z,
                 probe.solution, curve)) {
        ++curve.unfinished_probes;
      }
      const double left = lambda * dot<Real>(ctx, probe.penalized, probe.solution).real();
      point.freedom += (unknowns - left) / static_cast<double>(probes_.size());
    }
    return point;
  }

 private:
  struct Probe {
    Array<Complex> z;
    Array<Complex> penalized;  // W^H W z
    Array<Complex> solution;   // H^-1 z
  };

  static constexpr double probe_tolerance = 1e-3;
  // Error of |W e| over |W x|, by the estimate of the error e. |W x| itself is then off by a tenth of it and less, since e is
  // nearly at right angles to x.
  static constexpr double penalty_tolerance = 3e-3;
  // Relative residual, where nothing else ends the steps.
  static constexpr double least_tolerance = 1e-8;

  Probe make_probe(const Context& ctx, std::uint64_t seed, int number) const {
    Probe probe{Array<Complex>(ctx, image_.shape()), {}, zeros<Complex>(ctx, image_.shape())};
    recon::fill_quarter_turns<Real>(ctx, probe.z.ref(), seed, static_cast<std::uint64_t>(number));
    if (is_tikhonov(model_)) {
      probe.penalized = probe.z.share();
    } else {
      probe.penalized = Array<Complex>(ctx, image_.shape());
      apply_penalties<Real>(ctx, model_, probe.z, probe.penalized);
    }
    return probe;
  }

  // Solves for the image and gives |W x|^2. As |W x| grows when lambda falls, that of the image above is a lower bound.
  double solve_image(const Context& ctx, double lambda, LambdaCurve& curve) {
    extrapolate(ctx);
    bool finished = true;
    if (solved_ == 0) {
      finished = solve(ctx, lambda, {.iterations = options_.iterations, .tolerance = 0.01 * std::sqrt(lambda)},
                       right_hand_side_, image_, curve);
      penalty_ = penalty(ctx);
    }
    // lambda |W e|^2 <= e^H H e.
    const double error = penalty_tolerance * std::sqrt(lambda * penalty_);
    // The error e is bounded too: e^H H e = r^H H^-1 r <= |r|^2 / lambda for W = 1.
    const double tolerance = is_tikhonov(model_) ? error * std::sqrt(lambda) / right_hand_side_norm_ : least_tolerance;
    finished &=
        solve(ctx, lambda,
              {.iterations = options_.iterations, .tolerance = std::max(tolerance, least_tolerance), .error = error},
              right_hand_side_, image_, curve);
    if (!finished) ++curve.unfinished;
    ++solved_;
    penalty_ = penalty(ctx);
    return penalty_;
  }

  // The start for the next lambda: on the straight line over log lambda through the last two images, or the last one.
  void extrapolate(const Context& ctx) {
    if (solved_ == 0) return;
    if (solved_ == 1) {
      copy<Complex>(ctx, image_, image_above_);
      return;
    }
    axpby<Real>(ctx, 2, image_, -1, image_above_);
    std::swap(image_, image_above_);
  }

  // Whether the tolerance was reached.
  bool solve(const Context& ctx, double lambda, const ConjugateGradientOptions& options, ArrayRef<const Complex> b,
             ArrayRef<Complex> x, LambdaCurve& curve) const {
    const SolverReport report = conjugate_gradient<Real>(
        ctx,
        [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
          apply_regularized_normal<Real>(c, model_, lambda, p, q);
        },
        b, x, options, [&](int, double) { ctx.check_cancel(operation); });
    curve.iterations += report.iterations;
    return report.stop_reason == StopReason::tolerance || report.stop_reason == StopReason::error;
  }

  static double energy(const Context& ctx, ArrayRef<const Complex> x) { return dot<Real>(ctx, x, x).real(); }

  double penalty(const Context& ctx) const { return penalty_energy<Real>(ctx, model_, image_); }

  const RegularizedModel<Real>& model_;
  ArrayRef<const Complex> data_;
  const LambdaSweepOptions& options_;
  Array<Complex> image_;
  Array<Complex> image_above_;  // that of the lambda before the last
  double penalty_ = 0;          // |W x|^2 of the last image
  int solved_ = 0;
  Array<Complex> right_hand_side_;
  double right_hand_side_norm_ = 0;
  Array<Complex> predicted_;
  std::vector<Probe> probes_;
};

}  // namespace

template <Precision Real>
LambdaCurve lambda_curve(const Context& ctx, const RegularizedModel<Real>& model,
                         ArrayRef<const std::complex<Real>> data, const LambdaSweepOptions& options) {
  const std::vector<double> lambda = grid(options, is_tikhonov(model));
  if (!(model.eigenvalue > 0)) {
    throw ValueError(
        fmt::format("{}: a largest eigenvalue of {}, expected a positive one", operation, model.eigenvalue));
  }
  const double norm_of_data = norm<Real>(ctx, data);
  if (!(norm_of_data > 0) || !std::isfinite(norm_of_data)) {
    throw ValueError(fmt::format("{}: data of norm {}, expected a positive number; give lambda as a number", operation,
                                 norm_of_data));
  }
  LambdaCurve curve;
  curve.samples = data.size();
  curve.eigenvalue = model.eigenvalue;
  Sweep<Real> sweep(ctx, model, data, options);
  ProgressStage stage(ctx, operation, static_cast<Index>(lambda.size()));
  std::for_each(lambda.rbegin(), lambda.rend(), [&](double at) {
    curve.points.push_back(sweep.point(ctx, at, curve));
    stage.advance(1, fmt::format("lambda {:.1e}", at));
  });
  std::reverse(curve.points.begin(), curve.points.end());
  return curve;
}

template LambdaCurve lambda_curve<float>(const Context&, const RegularizedModel<float>&,
                                         ArrayRef<const std::complex<float>>, const LambdaSweepOptions&);
template LambdaCurve lambda_curve<double>(const Context&, const RegularizedModel<double>&,
                                          ArrayRef<const std::complex<double>>, const LambdaSweepOptions&);

}  // namespace whorl
