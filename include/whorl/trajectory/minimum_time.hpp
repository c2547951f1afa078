// The fastest motion along a given curve in k-space.
#pragma once

#include <functional>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/motion.hpp"

namespace WHORL_PUBLIC whorl {

/// A smooth curve in k-space, in cycles per pixel, with a parameter p from 0 to 1. Its speed in p does not matter.
using KCurve = std::function<KPoint(double p)>;

enum class CurveEnd {
  moving,   ///< the gradient may have any value at the end of the curve
  at_rest,  ///< the gradient is zero at the end of the curve
};

/// The fastest motion along a curve, from rest, within the limits of gradient amplitude and slew rate. The limits hold
/// in every direction, so the curve may be turned. With the arc length s, the curvature c(s) and the limits v and a of
/// speed and acceleration,
///
///   s'(t) <= min(v, sqrt(a / c)),    |s''(t)| <= sqrt(a^2 - c^2 s'^4),
///
/// and the fastest motion is always at one of the limits. The equations are solved for s'^2 as a function of s, whose
/// slope is 2 s'', forward from the start and backward from the end, by the implicit midpoint rule. The motion follows
/// the smaller solution.
///
/// Accuracy  the steps are at most 1/2000 of the curve's length and turn by at most 4 mrad on average; means of the
///           gradient over rasters of 1 us and above keep the limits to 0.5 % (tested)
/// Throws    ValueError (limits; a curve without length, with a corner, or with positions that are not finite),
///           Cancelled
/// Source    Lustig, Kim, Pauly, "A fast method for designing time-optimal gradient waveforms for arbitrary k-space
///           trajectories", IEEE Trans Med Imaging 27:866 (2008)
Motion minimum_time_motion(const Context& ctx, const KCurve& curve, const GradientLimits& limits, CurveEnd end);

}  // namespace whorl
