// Motion: a path through k-space over time, driven by gradients.
#pragma once

#include <array>
#include <functional>

#include "whorl/trajectory/gradient_limits.hpp"

namespace WHORL_PUBLIC whorl {

/// A position in k-space: x, y, z in cycles per pixel (2D: z = 0).
using KPoint = std::array<double, 3>;

/// The position in k-space at time t. It may start at rest or in motion. `position` is valid for 0 <= t <= duration_us.
struct Motion {
  std::function<KPoint(double t_us)> position;
  double duration_us = 0;
  KPoint end_velocity{0, 0, 0};  ///< dk/dt at the end, cycles per pixel and us
};

/// The fastest motion along a straight line, at rest at both ends. The gradient is a trapezoid, or a triangle if the
/// line is too short for the largest amplitude. For the length L and the limits v of speed and a of acceleration, it
/// takes L/v + v/a, or 2 sqrt(L/a) if L < v^2 / a.
///
/// Throws  ValueError (limits, positions that are not finite)
Motion straight_motion(const KPoint& from, const KPoint& to, const GradientLimits& limits);

/// The first motion, then the second, which begins where the first ends.
Motion followed_by(const Motion& first, const Motion& second);

/// The motion, then a ramp of the gradient to zero in its last direction at the largest slew rate.
Motion with_ramp_down(const Motion& motion, const GradientLimits& limits);

/// The motion, then a ramp to zero, then the fastest way back to the center of k-space.
Motion with_rewinder(const Motion& motion, const GradientLimits& limits);

/// This path in more time: amplitudes fall by the ratio of the times, slew rates by its square.
///
/// Throws  ValueError if the time is shorter than the motion's
Motion slowed_to(const Motion& motion, double duration_us);

}  // namespace whorl
