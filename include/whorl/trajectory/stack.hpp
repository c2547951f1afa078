// Stacks: a trajectory in the plane, repeated along kz (stack of stars, stack of spirals).
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// In which order the partitions of a readout are taken.
enum class PartitionOrder {
  linear,   ///< from the lowest kz to the highest
  centric,  ///< from the center outwards: 0, -1, +1, -2, ...
};

struct StackOptions {
  Index partitions = 1;
  PartitionOrder order = PartitionOrder::linear;
  /// Angle in radians after which the plane looks the same (pi / spokes of a uniform star, 2 pi / arms of a spiral).
  /// Partition p, counted from the lowest kz, is turned by that angle times frac(p (sqrt(5) - 1) / 2), so that the
  /// readouts of the partitions fall evenly into each other's gaps. 0: all partitions are aligned.
  double golden_rotation = 0;
};

/// Takes each readout of a plane in all partitions before the next readout:
///
///   k[(r * P + j) * readout + i] = (R(angle_p) k_plane[r * readout + i], (p - floor(P / 2)) / P),   p = order(j)
///
/// Shapes  plane [readouts * readout, 2], with a known readout length; points [readouts * P * readout, 3]
/// Units   cycles per pixel
/// Throws  ShapeError (the plane is not two-dimensional), ValueError (no partition, the plane's readout length is not
///         known or does not divide its samples, a rotation that is not finite)
/// Source  rotated partitions: Zhou, Han, Yan, Wang, Hu, "Golden-ratio rotated stack-of-stars acquisition for improved
///         volumetric MRI", Magn Reson Med 78:2290 (2017)
Trajectory stack_trajectory(const Context& ctx, const Trajectory& plane, const StackOptions& options);

}  // namespace whorl
