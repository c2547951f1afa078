// Analytic density weights of radial trajectories.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Density weights of spokes that are spread evenly over all directions: the area (2D) or volume (3D) that belongs
/// to a sample. A sample at signed radius rho on its spoke owns the piece [a, b] of the spoke up to halfway to its
/// neighbors; its weight is
///
///   integral from a to b of |rho|^(dim - 1) d rho,
///
/// which is the ramp |k| in 2D and k^2 in 3D away from the center; at the center of full spokes with steps d it is
/// d^2/4 and d^3/12. Spokes through the center and from the center are both taken, the radii need not be
/// equidistant, and samples at the same place share the weight of one. The first and last cells end half a step
/// outside of the sample, but spokes from the center do not reach across it.
///
/// Shapes  points [sample, dim]; result [sample]
/// Units   any one unit of k; the weights are normalized to the sum `samples` (normalize_weights)
/// Throws  ValueError when the readout length is unknown (0) or does not divide the number of samples, or when a
///         readout is not a straight line through the center (off by more than 1 % of its largest |k|); ShapeError,
///         ValueError from check_trajectory
/// Source  the Jacobian of polar coordinates; for the center see Lauzon and Rutt, "Effects of polar sampling in
///         k-space", Magn Reson Med 36:940 (1996)
template <class Real>
Array<Real> radial_density(const Context& ctx, const Trajectory& trajectory);

}  // namespace whorl
