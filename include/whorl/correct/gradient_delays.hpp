// Delays of the gradients: by how far spokes miss the center of k-space.
#pragma once

#include <array>
#include <vector>

#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// The delays of the three gradients shift a spoke of direction n by D n. D is diagonal where the image's axes are those
/// of the gradients; in other planes it is symmetric (the ellipse of RING).
///
/// For readouts that are not spokes x, y and z are the delays along the axes.
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

/// Whether all readouts are straight spokes with even steps, but for samples at |k| = 1/2 (see delayed); false where their length is not known.
bool has_spokes(const Trajectory& trajectory);

/// The line of each readout.
///
/// Throws  ValueError (readouts of unknown or unequal length, of one sample, or that are not straight with even steps to
///         1 % of a step)
std::vector<SpokeLine> spoke_lines(const Trajectory& trajectory);

/// The trajectory with its readouts at their places. A sample of a spoke is moved by step * D n. Readouts of another
/// form (spirals) are delayed along each axis: sample i has the position that the readout nominally has at sample i + x
/// along x, and so on, interpolated linearly; before its first sample and after its last it stands still. Positions
/// beyond |k| = 1/2 become 1/2, which images have no frequencies beyond.
///
/// Throws  ValueError (readouts of unknown or unequal length; xy, xz or yz that is not 0 where readouts are no spokes)
Trajectory delayed(const Context& ctx, const Trajectory& nominal, const GradientDelays& delays);

}  // namespace whorl
