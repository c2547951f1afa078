// Stacks: a 2D trajectory, repeated along kz (stack of stars, stack of spirals).
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// The order in which the partitions of a readout are acquired.
enum class PartitionOrder {
  linear,   ///< from the lowest kz to the highest
  centric,  ///< from the center outwards: 0, -1, +1, -2, ...
};

struct StackOptions {
  Index partitions = 1;
  PartitionOrder order = PartitionOrder::linear;
  /// Angle in radians after which the 2D trajectory repeats (pi / spokes of a uniform star, 2 pi / arms of a spiral).
  /// Partition p, counted from the lowest kz, is turned by that angle times frac(p (sqrt(5) - 1) / 2), so the readouts
  /// of one partition fall evenly into the gaps of the others. 0: all partitions are aligned.
  double golden_rotation = 0;
};

/// Acquires each readout of the 2D trajectory in all partitions before the next readout:
///
///   k[(r * P + j) * readout + i] = (R(angle_p) k_plane[r * readout + i], (p - floor(P / 2)) / P),   p = order(j)
///
/// Shapes  plane [readouts * readout, 2], with a known readout length; points [readouts * P * readout, 3]
/// Units   cycles per pixel
/// Throws  ShapeError (a plane that is not 2D), ValueError (no partition, a readout length of the plane that is unknown
///         or does not divide its samples, a rotation that is not finite)
/// Source  rotated partitions: Zhou, Han, Yan, Wang, Hu, "Golden-ratio rotated stack-of-stars acquisition for improved
///         volumetric MRI", Magn Reson Med 78:2290 (2017)
Trajectory stack_trajectory(const Context& ctx, const Trajectory& plane, const StackOptions& options);

}  // namespace whorl
