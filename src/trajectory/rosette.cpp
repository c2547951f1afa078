#include "whorl/trajectory/rosette.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "trajectory/points.hpp"
#include "trajectory/readouts.hpp"

namespace whorl {

namespace {

constexpr double full_turn = 2 * std::numbers::pi;

double angle_of_shot(Index shot, Index shots, double swings) {
  return full_turn * static_cast<double>(shot) / (2 * swings * static_cast<double>(shots));
}

}  // namespace

KCurve rosette_curve(double swings, double rotations) {
  detail::check_positive("rosette trajectory", "number of swings", swings);
  detail::check_positive("rosette trajectory", "number of rotations", rotations);
  return [swings, rotations](double t) -> KPoint {
    const double radius = std::sin(full_turn * swings * t) / 2;
    const double angle = full_turn * rotations * t;
    return {radius * std::cos(angle), radius * std::sin(angle), 0};
  };
}

Trajectory rosette_trajectory(const Context& ctx, Index shots, Index samples, double swings, double rotations) {
  const KCurve curve = rosette_curve(swings, rotations);
  Trajectory trajectory = detail::make_readouts(ctx, "rosette trajectory", "shots", shots, samples, 2);
  const auto k = trajectory.points.view<2>();
  for (Index shot = 0; shot < shots; ++shot) {
    const double start = angle_of_shot(shot, shots, swings);
    for (Index i = 0; i < samples; ++i) {
      detail::ask_at(ctx, shot * samples + i);
      const KPoint point = detail::turned(curve(static_cast<double>(i) / static_cast<double>(samples)), start);
      k(shot * samples + i, 0) = point[0];
      k(shot * samples + i, 1) = point[1];
    }
  }
  return trajectory;
}

DesignedTrajectory designed_rosette(const Context& ctx, Index shots, double swings, double rotations,
                                    const DesignOptions& options) {
  detail::check_count("rosette trajectory", "shots", shots);
  const std::array<Motion, 1> motions{
      minimum_time_motion(ctx, rosette_curve(swings, rotations), options.limits, CurveEnd::moving)};
  std::vector<Shot> turned_shots;
  for (Index shot = 0; shot < shots; ++shot) turned_shots.push_back({0, angle_of_shot(shot, shots, swings)});
  return sample_motions(ctx, motions, turned_shots, options, 2);
}

}  // namespace whorl
