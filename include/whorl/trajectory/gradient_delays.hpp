// Delays of the gradients: by how far spokes miss the center of k-space.
#pragma once

#include <array>
#include <vector>

#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// The delays of the three gradients shift a spoke of direction n by D n. D is diagonal where the image's axes are those
/// of the gradients; in other planes it is symmetric (the ellipse of RING).
///
/// Units   samples of the readout. A sample is farther along its spoke by n.D n than nominal: positive for data that are
///         read late
struct GradientDelays {
  double x = 0;
  double y = 0;
  double z = 0;
  double xy = 0;
  double xz = 0;
  double yz = 0;

  /// D n.
  std::array<double, 3> of(const std::array<double, 3>& direction) const {
    const auto& [nx, ny, nz] = direction;
    return {x * nx + xy * ny + xz * nz, xy * nx + y * ny + yz * nz, xz * nx + yz * ny + z * nz};
  }
};

/// A spoke: its direction, and the distance between its samples.
struct SpokeLine {
  std::array<double, 3> direction{};  ///< unit vector, z = 0 in 2D
  double step = 0;                    ///< cycles per pixel
};

/// The line of each readout.
///
/// Throws  ValueError (readouts of unknown or unequal length, of one sample, or that are not straight with even steps to
///         1 % of a step)
std::vector<SpokeLine> spoke_lines(const Trajectory& trajectory);

/// The trajectory with its spokes at their places: each sample moved by step * D n. Positions beyond |k| = 1/2 become
/// 1/2, which images have no frequencies beyond.
///
/// Throws  as spoke_lines
Trajectory delayed(const Context& ctx, const Trajectory& nominal, const GradientDelays& delays);

}  // namespace whorl
