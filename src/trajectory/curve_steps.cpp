#include "trajectory/curve_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "trajectory/points.hpp"
#include "whorl/core/error.hpp"

namespace whorl::detail {

namespace {

constexpr std::size_t least_steps = 4000;
constexpr double angle_of_step = 0.004;  // radians, on the mean

std::vector<KPoint> points_at(const KCurve& curve, const std::vector<double>& parameter) {
  std::vector<KPoint> points;
  points.reserve(parameter.size());
  for (const double p : parameter) {
    points.push_back(curve(p));
    if (!std::isfinite(norm(points.back()))) {
      throw ValueError(fmt::format("minimum-time design: the curve is not finite at parameter {}", p));
    }
  }
  return points;
}

double angle_between(const KPoint& a, const KPoint& b) { return std::atan2(norm(cross(a, b)), dot(a, b)); }

// Length of each step, and the angle between each step and the one before it (the first: 0).
struct StepSizes {
  std::vector<double> length;
  std::vector<double> angle;
};

StepSizes sizes_of(const std::vector<KPoint>& points) {
  StepSizes sizes;
  KPoint before{0, 0, 0};
  for (std::size_t i = 1; i < points.size(); ++i) {
    const KPoint step = plus(points[i], points[i - 1], -1);
    sizes.length.push_back(norm(step));
    sizes.angle.push_back(i == 1 ? 0 : angle_between(before, step));
    before = step;
  }
  return sizes;
}

std::vector<double> uniform_parameter(std::size_t steps) {
  std::vector<double> parameter(steps + 1);
  for (std::size_t i = 0; i <= steps; ++i) parameter[i] = static_cast<double>(i) / static_cast<double>(steps);
  return parameter;
}

// Parameters of points with equal steps in the sum of half the relative length and half the relative angle.
std::vector<double> balanced_parameter(const StepSizes& sizes, double length, double angle, std::size_t steps) {
  const std::size_t samples = sizes.length.size();
  std::vector<double> share{0};
  for (std::size_t i = 0; i < samples; ++i) {
    share.push_back(share.back() + sizes.length[i] / length + (angle > 0 ? sizes.angle[i] / angle : 0));
  }
  std::vector<double> parameter{0};
  std::size_t at = 1;
  for (std::size_t i = 1; i < steps; ++i) {
    const double target = share.back() * static_cast<double>(i) / static_cast<double>(steps);
    while (share[at] < target) ++at;
    const double part = (target - share[at - 1]) / (share[at] - share[at - 1]);
    parameter.push_back((static_cast<double>(at - 1) + part) / static_cast<double>(samples));
  }
  parameter.push_back(1);
  return parameter;
}

}  // namespace

CurveSteps cut_curve(const Context& ctx, const KCurve& curve) {
  // A first pass, fine enough that no step turns by much; its limit also bounds the memory.
  constexpr std::size_t first_samples = std::size_t{1} << 14;
  constexpr std::size_t most_samples = std::size_t{1} << 17;
  constexpr double largest_turn = 0.1;
  StepSizes sizes;
  double length = 0;
  for (std::size_t samples = first_samples;; samples *= 2) {
    ctx.check_cancel("minimum-time design");
    sizes = sizes_of(points_at(curve, uniform_parameter(samples)));
    length = std::accumulate(sizes.length.begin(), sizes.length.end(), 0.0);
    if (!(length > 0)) throw ValueError("minimum-time design: the curve has no length");
    const auto sharpest = std::max_element(sizes.angle.begin(), sizes.angle.end());
    if (*sharpest < largest_turn) break;
    if (samples == most_samples) {
      throw ValueError(
          fmt::format("minimum-time design: the curve has a corner of {:.0f} degrees at parameter {:.6f}, or thousands "
                      "of turns; it must "
                      "be smooth",
                      *sharpest * 180 / std::numbers::pi,
                      static_cast<double>(sharpest - sizes.angle.begin()) / static_cast<double>(samples)));
    }
  }
  const double angle = std::accumulate(sizes.angle.begin(), sizes.angle.end(), 0.0);
  const std::size_t steps = std::max(least_steps, static_cast<std::size_t>(2 * angle / angle_of_step));

  CurveSteps result;
  result.parameter = balanced_parameter(sizes, length, angle, steps);
  const std::vector<KPoint> points = points_at(curve, result.parameter);
  const StepSizes chords = sizes_of(points);
  // Curvature at a point: the angle between the chords that meet there over half of their lengths.
  std::vector<double> at_point(steps + 1);
  for (std::size_t i = 1; i < steps; ++i) {
    at_point[i] = 2 * chords.angle[i] / (chords.length[i - 1] + chords.length[i]);
  }
  at_point.front() = 2 * at_point[1] - at_point[2];
  at_point.back() = 2 * at_point[steps - 1] - at_point[steps - 2];
  for (std::size_t i = 0; i < steps; ++i) {
    const double curvature = std::max(0.0, (at_point[i] + at_point[i + 1]) / 2);
    const double turn = curvature * chords.length[i];
    result.curvature.push_back(curvature);
    // An arc of angle x is longer than its chord by the factor (x/2) / sin(x/2) = 1 + x^2 / 24 + ...
    result.length.push_back(chords.length[i] * (1 + turn * turn / 24));
  }
  // The last chord, turned on by the half of its angle: second-order differences of the last three points.
  const double a = chords.length[steps - 1];
  const double b = chords.length[steps - 2];
  const KPoint last = plus(points[steps], points[steps - 1], -1);
  const KPoint before = plus(points[steps - 1], points[steps - 2], -1);
  const KPoint tangent = plus(plus({0, 0, 0}, last, 1 / a + 1 / (a + b)), before, -(a / b) / (a + b));
  result.end_direction = plus({0, 0, 0}, tangent, 1 / norm(tangent));
  return result;
}

}  // namespace whorl::detail
