#include "whorl/trajectory/spiral.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "trajectory/points.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double two_pi = 2 * std::numbers::pi;

std::vector<Shot> turned_arms(Index arms) {
  detail::check_count("spiral trajectory", "arms", arms);
  std::vector<Shot> shots;
  for (Index arm = 0; arm < arms; ++arm) {
    shots.push_back({0, two_pi * static_cast<double>(arm) / static_cast<double>(arms)});
  }
  return shots;
}

}  // namespace

KCurve spiral_curve(double turns, double power) {
  detail::check_positive("spiral trajectory", "number of turns", turns);
  if (!(power >= 1) || !std::isfinite(power)) {
    throw ValueError(fmt::format("spiral trajectory: expected a power of the radius of at least 1, got {}", power));
  }
  return [turns, power](double t) -> KPoint {
    const double radius = std::pow(t, power) / 2;
    const double angle = two_pi * turns * t;
    return {radius * std::cos(angle), radius * std::sin(angle), 0};
  };
}

Trajectory spiral_trajectory(const Context& ctx, Index arms, Index samples, double turns, double power) {
  const KCurve curve = spiral_curve(turns, power);
  Trajectory trajectory = detail::make_readouts(ctx, "spiral trajectory", "arms", arms, samples, 2);
  const auto k = trajectory.points.view<2>();
  for (Index arm = 0; arm < arms; ++arm) {
    const double start = two_pi * static_cast<double>(arm) / static_cast<double>(arms);
    for (Index i = 0; i < samples; ++i) {
      detail::ask_at(ctx, arm * samples + i);
      const KPoint point = detail::turned(curve(static_cast<double>(i) / static_cast<double>(samples - 1)), start);
      k(arm * samples + i, 0) = point[0];
      k(arm * samples + i, 1) = point[1];
    }
  }
  return trajectory;
}

double largest_spiral_gap(Index arms, double turns, double power) {
  return power / (2 * turns * static_cast<double>(arms));
}

DesignedTrajectory designed_spiral(const Context& ctx, Index arms, double turns, double power,
                                   const DesignOptions& options) {
  const std::vector<Shot> shots = turned_arms(arms);
  const std::array<Motion, 1> motions{
      minimum_time_motion(ctx, spiral_curve(turns, power), options.limits, CurveEnd::moving)};
  return sample_motions(ctx, motions, shots, options, 2);
}

}  // namespace whorl
