// Motion: a path through k-space with its time, which gradients drive.
#pragma once

#include <array>
#include <functional>

#include "whorl/trajectory/gradient_limits.hpp"

namespace whorl {

/// A position in k-space: x, y, z in cycles per pixel (z = 0 in the plane).
using KPoint = std::array<double, 3>;

/// Where k-space is at time t, from rest or in motion at t = 0. `position` holds for 0 <= t <= duration_us.
struct Motion {
  std::function<KPoint(double t_us)> position;
  double duration_us = 0;
  KPoint end_velocity{0, 0, 0};  ///< dk/dt at the end, cycles per pixel and us
};

/// The shortest motion along a straight line, at rest at both ends: a trapezoid of the gradient, or a triangle where
/// the line is too short to reach the largest amplitude. Of length L, with speed v and acceleration a of the limits, it
/// takes L/v + v/a, or 2 sqrt(L/a) where that speed is not reached (L < v^2 / a).
///
/// Throws  ValueError (limits, points that are not finite)
Motion straight_motion(const KPoint& from, const KPoint& to, const GradientLimits& limits);

/// One motion, then another that begins where it ends.
Motion followed_by(const Motion& first, const Motion& second);

/// The motion and a ramp of the gradient to zero in its last direction at the largest slew rate.
Motion with_ramp_down(const Motion& motion, const GradientLimits& limits);

/// The motion, a ramp to zero, and the shortest way back to the center of k-space.
Motion with_rewinder(const Motion& motion, const GradientLimits& limits);

/// The same path in more time: amplitudes fall by the ratio of the times, slew rates by its square.
///
/// Throws  ValueError when the time is shorter than the motion's
Motion slowed_to(const Motion& motion, double duration_us);

}  // namespace whorl
