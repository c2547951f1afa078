#include "whorl/recon/choose_lambda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "recon/lambda/cubic_spline.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Steps between two points of the grid where a spline is searched: with four points a decade lambda is found to 1 %.
constexpr int fine_steps = 64;

// log lambda and another logarithm where it is finite.
recon::CubicSpline spline(const LambdaCurve& curve, const std::vector<double>& values) {
  std::vector<double> t;
  std::vector<double> y;
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    if (!(values[i] > 0) || !std::isfinite(values[i])) continue;
    t.push_back(std::log(curve.points[i].lambda));
    y.push_back(std::log(values[i]));
  }
  return {std::move(t), std::move(y)};
}

std::vector<double> values_of(const LambdaCurve& curve, double LambdaPoint::*member) {
  std::vector<double> values;
  values.reserve(curve.points.size());
  for (const LambdaPoint& point : curve.points) values.push_back(point.*member);
  return values;
}

std::vector<double> log_lambda(const LambdaCurve& curve) {
  std::vector<double> t = values_of(curve, &LambdaPoint::lambda);
  for (double& value : t) value = std::log(value);
  return t;
}

// log lambda along the grid and between, rising.
std::vector<double> fine_grid(const LambdaCurve& curve, std::size_t first, std::size_t last) {
  std::vector<double> t;
  for (std::size_t i = first; i < last; ++i) {
    const double low = std::log(curve.points[i].lambda);
    const double high = std::log(curve.points[i + 1].lambda);
    for (int step = 0; step < fine_steps; ++step) t.push_back(low + (high - low) * step / fine_steps);
  }
  t.push_back(std::log(curve.points[last].lambda));
  return t;
}

std::string range_of(const LambdaCurve& curve) {
  return fmt::format("{:.1e} to {:.1e}", curve.points.front().lambda, curve.points.back().lambda);
}

// Least change of |W x|, as a part of itself, for lambda e times as large. With less, conjugate gradient's error of some
// 1e-3, over the distance of two points, would be a tenth of the slope and more.
constexpr double least_slope = 0.02;

double curvature(double q, double p) {
  if (!(p >= least_slope)) return nan;
  return q * q * (1 - 2 * p * (1 + 1 / q)) / (p * std::pow(1 + q * q, 1.5));
}

class Corner {
 public:
  explicit Corner(const LambdaCurve& curve)
      : eigenvalue_(curve.eigenvalue),
        residual_(spline(curve, values_of(curve, &LambdaPoint::residual))),
        penalty_(spline(curve, values_of(curve, &LambdaPoint::penalty))) {}

  double curvature_at(double t) const {
    const double q = std::exp(residual_.value(t) - penalty_.value(t) - t) / eigenvalue_;
    return curvature(q, -penalty_.slope(t) / 2);
  }

 private:
  double eigenvalue_;
  recon::CubicSpline residual_;
  recon::CubicSpline penalty_;
};

LambdaChoice by_gcv(LambdaCurve curve) {
  const std::vector<double> values = gcv_values(curve);
  const auto known = static_cast<std::size_t>(
      std::find_if(values.begin(), values.end(), [](double v) { return std::isfinite(v); }) - values.begin());
  if (known + 2 > values.size()) {
    throw ValueError("generalized cross-validation: no degrees of freedom are known, or all are taken; use probes");
  }
  const recon::CubicSpline log_gcv = spline(curve, values);
  const std::vector<double> t = fine_grid(curve, known, curve.points.size() - 1);
  const double best =
      *std::min_element(t.begin(), t.end(), [&](double a, double b) { return log_gcv.value(a) < log_gcv.value(b); });
  std::string where = fmt::format("the least value over {}", range_of(curve));
  const bool at_end = best == t.front() || best == t.back();
  if (at_end) {
    where += fmt::format(", at its {} end: cross-validation would go on", best == t.front() ? "lower" : "upper");
  }
  const double freedom = recon::CubicSpline(log_lambda(curve), values_of(curve, &LambdaPoint::freedom)).value(best);
  std::string reason = fmt::format(
      "Lambda {:.2e} by generalized cross-validation: {}; the image takes {:.0f} of the data's {} complex numbers",
      std::exp(best), where, freedom, curve.samples);
  return {LambdaMethod::gcv, std::exp(best),   1,
          std::move(reason), std::move(curve), at_end ? NoteKind::doubt : NoteKind::answer};
}

LambdaChoice by_discrepancy(LambdaCurve curve, double noise_energy) {
  if (!(noise_energy > 0) || !std::isfinite(noise_energy)) {
    throw ValueError(
        fmt::format("discrepancy principle: a noise energy of {} a sample, expected a positive number", noise_energy));
  }
  const double expected = noise_energy * static_cast<double>(curve.samples);
  const double least = curve.points.front().residual;
  const double most = curve.points.back().residual;
  const auto refuse = [&](const char* than, double residual, const char* why) {
    return ValueError(
        fmt::format("discrepancy principle: over lambda {} the residual |A x - d|^2 is {} {:.4g}, expected {:.4g} from "
                    "the noise: {}; "
                    "use gcv or a number",
                    range_of(curve), than, residual, expected, why));
  };
  if (least > expected) {
    throw refuse("never below", least,
                 "the data hold what the model does not explain, or more noise than was measured");
  }
  if (most < expected)
    throw refuse("never above", most, "the data are mostly noise, or hold less of it than was measured");
  const recon::CubicSpline residual = spline(curve, values_of(curve, &LambdaPoint::residual));
  const std::vector<double> t = fine_grid(curve, 0, curve.points.size() - 1);
  const auto found =
      std::find_if(t.rbegin(), t.rend(), [&](double at) { return residual.value(at) <= std::log(expected); });
  std::string reason = fmt::format(
      "Lambda {:.2e} by the discrepancy principle: the largest with a residual |A x - d|^2 of no more than the {:.4g} "
      "of "
      "the noise of {} samples; it is {:.4g} at {:.1e} and {:.4g} at {:.1e}",
      std::exp(*found), expected, curve.samples, least, curve.points.front().lambda, most, curve.points.back().lambda);
  return {LambdaMethod::discrepancy, std::exp(*found), noise_energy, std::move(reason), std::move(curve)};
}

LambdaChoice by_l_curve(LambdaCurve curve) {
  const Corner corner(curve);
  // The ends of a natural spline are straight, so that its slope there is not the curve's.
  const std::vector<double> t = fine_grid(curve, 1, curve.points.size() - 2);
  std::size_t best = t.size() - 1;
  std::size_t last = best;
  double largest = 0;
  // Down to where the curve stands still.
  for (std::size_t i = t.size(); i-- > 0;) {
    const double value = corner.curvature_at(t[i]);
    if (std::isnan(value)) break;
    last = i;
    if (value <= largest) continue;
    largest = value;
    best = i;
  }
  if (best == last || best + 1 == t.size()) {
    throw ValueError(fmt::format("L-curve: no corner over lambda {}: {}; use gcv or a number", range_of(curve),
                                 largest == 0 ? "it never turns upward" : "it turns the more the smaller lambda is"));
  }
  const double lambda = std::exp(t[best]);
  std::string reason = fmt::format("Lambda {:.2e} by the L-curve: the corner over {}, of curvature {:.2f}", lambda,
                                   range_of(curve), largest);
  return {LambdaMethod::l_curve, lambda, 1, std::move(reason), std::move(curve)};
}

}  // namespace

std::vector<double> noise_estimates(const LambdaCurve& curve) {
  std::vector<double> values;
  for (const LambdaPoint& point : curve.points) {
    const double left = static_cast<double>(curve.samples) - point.freedom;
    values.push_back(left > 0 ? point.residual / left : nan);
  }
  return values;
}

std::vector<double> gcv_values(const LambdaCurve& curve) {
  std::vector<double> values = noise_estimates(curve);
  const auto m = static_cast<double>(curve.samples);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] *= m / (m - curve.points[i].freedom);
  return values;
}

std::vector<double> l_curve_curvatures(const LambdaCurve& curve) {
  const Corner corner(curve);
  std::vector<double> values;
  for (const LambdaPoint& point : curve.points) values.push_back(corner.curvature_at(std::log(point.lambda)));
  return values;
}

LambdaChoice choose_lambda(LambdaCurve curve, LambdaMethod method, double noise_energy) {
  if (curve.points.size() < 5) {
    throw ValueError(fmt::format("choice of lambda: a curve of {} points, expected at least 5", curve.points.size()));
  }
  switch (method) {
    case LambdaMethod::discrepancy:
      return by_discrepancy(std::move(curve), noise_energy);
    case LambdaMethod::l_curve:
      return by_l_curve(std::move(curve));
    case LambdaMethod::spectrum:
      throw ValueError("choice of lambda: the power spectrum needs no curve; use spectral_lambda");
    default:
      return by_gcv(std::move(curve));
  }
}

template <Precision Real>
LambdaChoice choose_lambda(const Context& ctx, const RegularizedModel<Real>& model,
                           ArrayRef<const std::complex<Real>> data, const LambdaSearchOptions& options, double unit) {
  LambdaSweepOptions sweep = options.sweep;
  if (options.method != LambdaMethod::gcv) sweep.probes = 0;
  LambdaCurve curve = lambda_curve<Real>(ctx, model, data, sweep);
  for (LambdaPoint& point : curve.points) {
    point.residual *= unit * unit;
    point.penalty *= unit * unit;
  }
  LambdaChoice choice = choose_lambda(std::move(curve), options.method, options.noise_energy);
  if (choice.curve.unfinished > 0) {
    choice.reason +=
        fmt::format("; {} of {} images ended at the limit of {} iterations, their norms less exact than 0.1 %",
                    choice.curve.unfinished, choice.curve.points.size(), sweep.iterations);
    choice.kind = NoteKind::doubt;
  }
  return choice;
}

template LambdaChoice choose_lambda<float>(const Context&, const RegularizedModel<float>&,
                                           ArrayRef<const std::complex<float>>, const LambdaSearchOptions&, double);
template LambdaChoice choose_lambda<double>(const Context&, const RegularizedModel<double>&,
                                            ArrayRef<const std::complex<double>>, const LambdaSearchOptions&, double);

}  // namespace whorl
