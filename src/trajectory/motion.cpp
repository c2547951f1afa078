#include "whorl/trajectory/motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trajectory/points.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

using detail::norm;
using detail::plus;

Motion straight_motion(const KPoint& from, const KPoint& to, const GradientLimits& limits) {
  check_gradient_limits("straight motion", limits);
  const KPoint way = plus(to, from, -1);
  const double length = norm(way);
  if (!std::isfinite(length)) throw ValueError("straight motion: expected finite positions");
  if (length == 0) return {[from](double) { return from; }, 0, {0, 0, 0}};
  const double acceleration = limits.acceleration();
  const double speed = std::min(limits.speed(), std::sqrt(acceleration * length));
  const double ramp = speed / acceleration;
  const double duration = length / speed + ramp;
  const auto position = [=](double t) {
    // The second half mirrors the first.
    const double since = std::clamp(std::min(t, duration - t), 0.0, duration / 2);
    const double done = since < ramp ? acceleration * since * since / 2 : speed * (since - ramp / 2);
    return t <= duration / 2 ? plus(from, way, done / length) : plus(to, way, -done / length);
  };
  return {position, duration, {0, 0, 0}};
}

Motion followed_by(const Motion& first, const Motion& second) {
  const auto position = [first, second](double t) {
    return t <= first.duration_us ? first.position(t) : second.position(t - first.duration_us);
  };
  return {position, first.duration_us + second.duration_us, second.end_velocity};
}

Motion with_ramp_down(const Motion& motion, const GradientLimits& limits) {
  check_gradient_limits("ramp down", limits);
  const double speed = norm(motion.end_velocity);
  if (speed == 0) return motion;
  const double duration = speed / limits.acceleration();
  const KPoint end = motion.position(motion.duration_us);
  const KPoint velocity = motion.end_velocity;
  const auto position = [end, velocity, duration](double t) { return plus(end, velocity, t - t * t / (2 * duration)); };
  return followed_by(motion, {position, duration, {0, 0, 0}});
}

Motion with_rewinder(const Motion& motion, const GradientLimits& limits) {
  const Motion rest = with_ramp_down(motion, limits);
  return followed_by(rest, straight_motion(rest.position(rest.duration_us), {0, 0, 0}, limits));
}

Motion slowed_to(const Motion& motion, double duration_us) {
  if (!(duration_us >= motion.duration_us) || !std::isfinite(duration_us)) {
    throw ValueError(fmt::format("slowed motion: expected at least {} us, got {}", motion.duration_us, duration_us));
  }
  if (motion.duration_us == 0) return motion;
  const double ratio = motion.duration_us / duration_us;
  const auto position = [motion, ratio](double t) { return motion.position(std::min(ratio * t, motion.duration_us)); };
  return {position, duration_us, plus({0, 0, 0}, motion.end_velocity, ratio)};
}

}  // namespace whorl
