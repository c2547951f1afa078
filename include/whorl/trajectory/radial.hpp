// Radial trajectories in two dimensions.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// How the angle of a spoke follows from its number.
enum class SpokeOrder {
  uniform,       ///< theta_s = pi s / spokes
  golden_angle,  ///< theta_s = pi s (sqrt(5) - 1) / 2: 111.25 degrees from spoke to spoke
};

/// Full spokes through the center of k-space:
///
///   k[s * readout + i] = (i - floor(readout / 2)) / readout * (cos theta_s, sin theta_s),
///
/// so that the radius runs from -0.5 (even readout) in steps of 1/readout through 0 at i = floor(readout/2). A
/// readout of twice the matrix size is an oversampling of 2.
///
/// Shapes  points [spokes * readout, 2]
/// Units   cycles per pixel
/// Throws  ValueError when there is no spoke, or a readout has fewer than 2 samples
/// Source  golden angle: Winkelmann, Schaeffter, Koehler, Eggers, Doessel, "An optimal radial profile order based on
///         the golden ratio for time-resolved MRI", IEEE Trans Med Imaging 26:68 (2007)
Trajectory radial_trajectory(const Context& ctx, Index spokes, Index readout, SpokeOrder order);

}  // namespace whorl
