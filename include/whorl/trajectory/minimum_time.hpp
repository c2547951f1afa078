// The fastest way along a given curve in k-space.
#pragma once

#include <functional>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/motion.hpp"

namespace whorl {

/// A curve in k-space by a parameter p from 0 to 1, smooth, in cycles per pixel. The speed in p is of no concern.
using KCurve = std::function<KPoint(double p)>;

enum class CurveEnd {
  moving,   ///< the gradient may have any value at the end of the curve
  at_rest,  ///< the gradient is zero at the end of the curve
};

/// The motion from rest along a curve that takes the least time under limits of the gradient vector and its slew rate,
/// which hold in every direction, so that the curve may be turned. With the arc length s, the curvature c(s) and the
/// limits v and a of speed and acceleration,
///
///   s'(t) <= min(v, sqrt(a / c)),    |s''(t)| <= sqrt(a^2 - c^2 s'^4),
///
/// and the fastest motion is at a limit all the time. Both are solved for s'^2 over s, whose slope is 2 s'', forward
/// from the start and backward from the end, by the implicit midpoint rule; the lesser one holds.
///
/// Accuracy  the curve is cut into steps of at most 1/2000 of its length that turn by at most 4 mrad on the mean; means
///           of the gradient over rasters of 1 us and above keep the limits to 0.5 % (tested)
/// Throws    ValueError (limits, a curve of no length, with a corner or with positions that are not finite), Cancelled
/// Source    Lustig, Kim, Pauly, "A fast method for designing time-optimal gradient waveforms for arbitrary k-space
///           trajectories", IEEE Trans Med Imaging 27:866 (2008)
Motion minimum_time_motion(const Context& ctx, const KCurve& curve, const GradientLimits& limits, CurveEnd end);

}  // namespace whorl
