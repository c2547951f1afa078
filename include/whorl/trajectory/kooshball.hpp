// Radial trajectories in three dimensions.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Full spokes through the center of k-space, their ends on a hemisphere by the two-dimensional golden means:
///
///   k[s * readout + i] = (i - floor(readout / 2)) / readout * (sin b cos a, sin b sin a, cos b),
///   cos b = frac(s phi_1),   a = 2 pi frac(s phi_2),
///
/// with phi_1 = 0.4656 and phi_2 = 0.6823, so that any run of successive spokes covers the sphere almost evenly.
///
/// Shapes  points [spokes * readout, 3]
/// Units   cycles per pixel
/// Throws  ValueError when there is no spoke, or a readout has fewer than 2 samples
/// Source  Chan, Ramsay, Cunningham, Plewes, "Temporal stability of adaptive 3D radial MRI using multidimensional
///         golden means", Magn Reson Med 61:354 (2009)
Trajectory kooshball_trajectory(const Context& ctx, Index spokes, Index readout);

}  // namespace whorl
