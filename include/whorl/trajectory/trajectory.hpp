// Trajectory: the positions of the samples in k-space.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Largest |k| along an axis, in cycles per pixel (Nyquist). The relative slack allows for the rounding of float files.
inline constexpr double k_limit = 0.5;
inline constexpr double k_limit_slack = 1e-5;

/// Positions of the samples of one frame, in the order of acquisition.
///
/// The points own their memory, or refer to that of the caller (Array::adopt, Array::refer_to).
///
/// Shapes  points [sample, dim], dim 2 or 3, ordered x, y(, z)
/// Units   cycles per pixel of the reconstructed image, |k| <= 0.5 along each axis
struct Trajectory {
  Array<double> points;
  /// Samples of one readout (spoke, arm, interleaf); the samples of a readout are adjacent. 0: unknown.
  Index readout_length = 0;

  int dim() const { return static_cast<int>(points.extent(1)); }
  Index samples() const { return points.extent(0); }
};

/// Checks a trajectory: rank, dim 2 or 3, finite, |k| <= 0.5 (1 + slack).
/// Throws ShapeError or ValueError, naming the first wrong sample, its value and what to do.
void check_trajectory(ArrayRef<const double> points);

/// check_trajectory for points on the host or on the context's device.
void check_trajectory(const Context& ctx, ArrayRef<const double> points);

}  // namespace whorl
