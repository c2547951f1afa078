// Analytic density weights of radial trajectories.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Density weights of spokes through the center of k-space or from it, in any order and at any angles, and of stacks of
/// such stars along kz, in planes of which each has the weights of its own spokes times its thickness. A sample at
/// signed radius rho_j on a spoke has the weight
///
///   w_j = A |rho_j|^(dim - 1) (rho_{j+1} - rho_{j-1}) / 2,
///
/// where A is the area of the spoke's direction: half the angles to its neighbors (2D), its cell on the sphere
/// (spherical Voronoi cells, 3D). At the ends the step is that to the one neighbor; samples at the same place share a
/// weight. Where sides of spokes end early, as those of asymmetric echoes, A is shared out anew beyond.
///
/// Along spokes through the center in 3D this sum is exact for all that the readout resolves, and the sample in the
/// center has no weight. The volumes of shells, rho^2 h + h^3 / 12 for steps of h, are not: what they add falls off as
/// slowly as 1/|x| in the image. In 2D, and in 3D for spokes from the center, the integrand has a kink there, for which
/// the samples next to the center get a weight of their own. It depends on the readout's oversampling: h^2/6 at fine
/// steps, 0.176 h^2 for steps of 1/(2 FOV), 0.23 h^2 for 1/FOV (sample in the center, 2D). With steps of 1/FOV no such
/// weight is good: copies of the object touch, and the mean of the image is off by some percent.
///
/// Shapes    points [sample, dim], image_shape [(z,) y, x]; result [sample]
/// Units     cycles per pixel; the weights are normalized to the sum `samples` (normalize_weights)
/// Accuracy  test/reference/test_gridded_images.cpp has the error of images for each kind of trajectory
/// Throws    ValueError when the readout length is unknown (0) or does not divide the number of samples, or when a
///           readout is not a straight line through the center (off by more than 1 % of its largest |k|); ShapeError,
///           ValueError from check_trajectory
/// Source    the Jacobian of polar coordinates and the formula of Euler and Maclaurin; for the center see Lauzon and
///           Rutt, "Effects of polar sampling in k-space", Magn Reson Med 36:940 (1996)
template <class Real>
Array<Real> radial_density(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape);

}  // namespace whorl
