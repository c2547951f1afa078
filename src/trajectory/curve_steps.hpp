// Private: a curve cut into steps, with its arc length and curvature.
#pragma once

#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/trajectory/minimum_time.hpp"

namespace whorl::detail {

/// n + 1 points of a curve and the n steps between them.
struct CurveSteps {
  std::vector<double> parameter;  ///< [n + 1] p of the points, from 0 to 1
  std::vector<double> length;     ///< [n] arc length of the steps
  std::vector<double> curvature;  ///< [n] in the middle of the steps
  KPoint end_direction{0, 0, 0};  ///< unit tangent at p = 1
};

/// Cuts a curve into steps that are short in length and in the angle by which the curve turns.
/// Throws ValueError (no length, a corner, positions that are not finite), Cancelled.
CurveSteps cut_curve(const Context& ctx, const KCurve& curve);

}  // namespace whorl::detail
