#include "whorl/fit/relaxation.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/parallel.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using Vector = Eigen::Matrix<double, 3, 1>;  // A, R, B
using Matrix = Eigen::Matrix<double, 3, 3>;

constexpr int start_rates = 40;
constexpr double converged = 1e-10;  // relative change of the parameters

int parameters_of(RelaxationModel model) { return model == RelaxationModel::decay ? 2 : 3; }

void check(ArrayRef<const float> series, std::span<const double> times, RelaxationModel model,
           const RelaxationOptions& options) {
  check_options(options);
  const auto count = static_cast<Index>(times.size());
  if (series.rank() < 3 || series.extent(0) != count) {
    throw ShapeError(fmt::format("relaxation: a series of shape {} for {} times; expected [time, image...]",
                                 to_string(series.shape()), count));
  }
  const int least = parameters_of(model) + (options.noise ? 0 : 1);
  if (count < least) {
    throw ValueError(fmt::format("relaxation: {} times, expected {} or more: as many as parameters{}", count, least,
                                 options.noise ? "" : ", and one for the error, unless the noise is given"));
  }
  std::vector<double> sorted(times.begin(), times.end());
  std::sort(sorted.begin(), sorted.end());
  const bool finite = std::all_of(sorted.begin(), sorted.end(), [](double t) { return std::isfinite(t); });
  if (!finite || sorted.front() < 0 || std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) {
    throw ValueError("relaxation: expected times that are finite, 0 or more and all different");
  }
  const auto values = series.span();
  const auto wrong = std::find_if(values.begin(), values.end(), [](float value) { return !std::isfinite(value); });
  if (wrong != values.end()) {
    throw ValueError(fmt::format("relaxation: value {} of the series is {}, expected finite numbers",
                                 wrong - values.begin(), *wrong));
  }
}

// The values of a voxel, in the order of the times.
struct Curve {
  RelaxationModel model;
  std::vector<double> times;
  std::vector<double> values;

  int parameters() const { return parameters_of(model); }

  double at(const Vector& p, double t) const {
    const double e = std::exp(-p[1] * t);
    return model == RelaxationModel::decay ? p[0] * e : p[0] * (1 - p[2] * e);
  }
  // Derivatives by A, R and B.
  Vector slope(const Vector& p, double t) const {
    const double e = std::exp(-p[1] * t);
    if (model == RelaxationModel::decay) return {e, -p[0] * t * e, 0};
    return {1 - p[2] * e, p[0] * p[2] * t * e, -p[0] * e};
  }
  double rest(const Vector& p) const {
    double sum = 0;
    for (std::size_t i = 0; i < times.size(); ++i) sum += std::pow(values[i] - at(p, times[i]), 2);
    return sum;
  }
  // J^T J, and J^T of what is left. Without B its row and column are those of the identity.
  void linearize(const Vector& p, Matrix& normal, Vector& right) const {
    normal.setZero();
    right.setZero();
    for (std::size_t i = 0; i < times.size(); ++i) {
      const Vector s = slope(p, times[i]);
      normal += s * s.transpose();
      right += s * (values[i] - at(p, times[i]));
    }
    if (model == RelaxationModel::decay) normal(2, 2) = 1;
  }
};

// Weighted by the square of the values, as the errors of their logarithms ask for.
Vector start_of_decay(const Curve& curve) {
  double w = 0;
  double wt = 0;
  double wy = 0;
  double wtt = 0;
  double wty = 0;
  for (std::size_t i = 0; i < curve.times.size(); ++i) {
    const double value = curve.values[i];
    if (!(value > 0)) continue;
    const double weight = value * value;
    const double t = curve.times[i];
    w += weight;
    wt += weight * t;
    wtt += weight * t * t;
    wy += weight * std::log(value);
    wty += weight * t * std::log(value);
  }
  const double determinant = w * wtt - wt * wt;
  if (!(determinant > 0)) return {0, 0, 0};
  const double rate = -(w * wty - wt * wy) / determinant;
  return {std::exp((wy + rate * wt) / w), rate, 0};
}

// A and A B for the best of several rates.
Vector start_of_recovery(const Curve& curve) {
  const double last = *std::max_element(curve.times.begin(), curve.times.end());
  double first = last;
  for (const double t : curve.times) first = t > 0 ? std::min(first, t) : first;
  Vector best{0, 0, 0};
  double least = std::numeric_limits<double>::infinity();
  for (int n = 0; n < start_rates; ++n) {
    const double rate = 0.2 / last * std::pow(25 * last / first, static_cast<double>(n) / (start_rates - 1));
    double e = 0;
    double ee = 0;
    double y = 0;
    double ye = 0;
    for (std::size_t i = 0; i < curve.times.size(); ++i) {
      const double here = std::exp(-rate * curve.times[i]);
      e += here;
      ee += here * here;
      y += curve.values[i];
      ye += curve.values[i] * here;
    }
    const auto count = static_cast<double>(curve.times.size());
    const double determinant = count * ee - e * e;
    if (!(determinant > 1e-12 * count * ee)) continue;
    const double a = (y * ee - ye * e) / determinant;
    const double ab = (y * e - ye * count) / determinant;
    if (!(a > 0)) continue;
    const Vector p{a, rate, ab / a};
    const double rest = curve.rest(p);
    if (rest < least) {
      least = rest;
      best = p;
    }
  }
  return best;
}

struct Fit {
  Vector p{0, 0, 0};
  double rest = std::numeric_limits<double>::infinity();
  bool good = false;
};

Fit levenberg_marquardt(const Curve& curve, const Vector& start, int iterations) {
  Fit fit{start, curve.rest(start), false};
  if (!(start[0] > 0 && start[1] > 0)) return fit;
  double damping = 1e-3;
  for (int i = 0; i < iterations; ++i) {
    Matrix normal;
    Vector right;
    curve.linearize(fit.p, normal, right);
    Matrix damped = normal;
    damped.diagonal() *= 1 + damping;
    const Vector step = damped.ldlt().solve(right);
    if (!step.allFinite()) return fit;
    const Vector next = fit.p + step;
    const double rest = curve.rest(next);
    if (next[1] > 0 && rest <= fit.rest) {
      const bool still = (step.cwiseAbs().array() <= converged * next.cwiseAbs().array() + 1e-300).all();
      fit.p = next;
      fit.rest = rest;
      damping = std::max(damping / 10, 1e-12);
      if (still) {
        fit.good = true;
        return fit;
      }
    } else {
      damping *= 10;
      // No step lessens what is left: the minimum, to the rounding of the sum of squares.
      if (damping > 1e12) {
        fit.good = true;
        return fit;
      }
    }
  }
  return fit;
}

Fit fit_curve(Curve& curve, bool has_signs, int iterations) {
  if (curve.model == RelaxationModel::decay) return levenberg_marquardt(curve, start_of_decay(curve), iterations);
  if (has_signs) return levenberg_marquardt(curve, start_of_recovery(curve), iterations);
  Fit best;
  for (std::size_t flipped = 0; flipped <= curve.values.size(); ++flipped) {
    if (flipped > 0) curve.values[flipped - 1] *= -1;
    const Vector start = start_of_recovery(curve);
    if (!(start[0] > 0)) continue;
    const Fit fit = levenberg_marquardt(curve, start, iterations);
    if (fit.good && fit.rest < best.rest) best = fit;
  }
  return best;
}

struct Result {
  Vector p{0, 0, 0};
  Vector error{0, 0, 0};
  bool good = false;
};

Result result_of(const Curve& curve, const Fit& fit, const RelaxationOptions& options) {
  if (!fit.good) return {};
  Matrix normal;
  Vector right;
  curve.linearize(fit.p, normal, right);
  const auto free = static_cast<double>(static_cast<int>(curve.times.size()) - curve.parameters());
  const double variance = options.noise ? *options.noise * *options.noise : fit.rest / free;
  const Matrix inverse = normal.inverse();
  Result result{fit.p, (variance * inverse.diagonal()).cwiseMax(0).cwiseSqrt(), true};
  result.good = result.error.allFinite();
  return result;
}

}  // namespace

RelaxationMaps fit_relaxation(const Context& ctx, ArrayRef<const float> series, std::span<const double> times,
                              RelaxationModel model, const RelaxationOptions& options) {
  check(series, times, model, options);
  const Shape image = series.shape().tail();
  const Index voxels = image.size();
  std::vector<std::size_t> order(times.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return times[a] < times[b]; });
  double largest = 0;
  bool has_signs = false;
  for (const float value : series.span()) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
    has_signs = has_signs || value < 0;
  }
  RelaxationMaps maps{zeros<float>(ctx.host(), image),
                      zeros<float>(ctx.host(), image),
                      zeros<float>(ctx.host(), image),
                      zeros<float>(ctx.host(), image),
                      {}};
  if (model == RelaxationModel::recovery) maps.inversion = zeros<float>(ctx.host(), image);
  std::vector<signed char> states(static_cast<std::size_t>(voxels));  // 1: fitted, -1: failed
  const Index width = image[-1];
  ProgressStage stage(ctx, "relaxation", voxels / width);
  const Index lines_per_step = Index{16} * ctx.threads();
  for (Index first = 0; first < voxels / width; first += lines_per_step) {
    const Index last = std::min(first + lines_per_step, voxels / width);
    detail::parallel_for(ctx, "relaxation", first, last, [&](Index line) {
      Curve curve{model, std::vector<double>(times.size()), std::vector<double>(times.size())};
      for (Index r = line * width; r < (line + 1) * width; ++r) {
        double most = 0;
        for (std::size_t i = 0; i < order.size(); ++i) {
          curve.times[i] = times[order[i]];
          curve.values[i] = static_cast<double>(series.data()[static_cast<Index>(order[i]) * voxels + r]);
          most = std::max(most, std::abs(curve.values[i]));
        }
        if (!(most > options.threshold * largest)) continue;
        const Fit fit = fit_curve(curve, has_signs, options.iterations);
        const Result result = result_of(curve, fit, options);
        states[static_cast<std::size_t>(r)] = result.good ? 1 : -1;
        if (!result.good) continue;
        const double time = 1 / result.p[1];
        maps.time.data()[r] = static_cast<float>(time);
        maps.time_error.data()[r] = static_cast<float>(time * time * result.error[1]);
        maps.amplitude.data()[r] = static_cast<float>(result.p[0]);
        maps.amplitude_error.data()[r] = static_cast<float>(result.error[0]);
        if (maps.inversion.size() > 0) maps.inversion.data()[r] = static_cast<float>(result.p[2]);
      }
    });
    stage.advance(last - first);
  }
  maps.fitted = std::count(states.begin(), states.end(), 1);
  maps.failed = std::count(states.begin(), states.end(), -1);
  return maps;
}

template <>
const OptionTable<RelaxationOptions>& option_table<RelaxationOptions>() {
  using Options = RelaxationOptions;
  static const OptionTable<Options> table =
      OptionTable<Options>("relaxation")
          .real("threshold", &Options::threshold, OptionRange{0, 1}, "",
                "Leave out voxels below this part of the largest magnitude of the series")
          .real(
              "noise", &Options::noise, OptionRange::more_than(0), "",
              "Standard deviation of the noise of each value, for the error bars (default: from what each fit leaves)")
          .integer("iterations", &Options::iterations, OptionRange::at_least(1), "", "Iterations at most")
          .for_programs();
  return table;
}

}  // namespace whorl
