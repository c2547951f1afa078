// Analytic density weights of radial trajectories.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Density weights of spokes through or from the center of k-space, in any order and at any angles, and of stacks of
/// such stars along kz. In a stack each plane has the weights of its own spokes times its thickness. A sample at the
/// signed radius rho_j on a spoke has the weight
///
///   w_j = A |rho_j|^(dim - 1) (rho_{j+1} - rho_{j-1}) / 2,
///
/// where A is the area of the spoke's direction: half the angles to its neighbors (2D), or its spherical Voronoi cell
/// (3D). At the ends of a spoke the step is the distance to the one neighbor. Samples at the same position share a
/// weight. Where some spokes end early, as with asymmetric echoes, the remaining spokes share the area beyond.
///
/// For spokes through the center in 3D this sum is exact for everything that the readout resolves, and the sample at
/// the center has weight 0. The volumes of shells, rho^2 h + h^3 / 12 for steps of h, are not exact: their error falls
/// only as 1/|x| in the image. In 2D, and in 3D for spokes from the center, the integrand has a kink at the center, so
/// the samples next to it get special weights. They depend on the readout's oversampling: h^2/6 for fine steps, 0.176
/// h^2 for steps of 1/(2 FOV), 0.23 h^2 for 1/FOV (sample at the center, 2D). With steps of 1/FOV no such weight is
/// exact: copies of the object touch, and the mean of the image is off by a few percent.
///
/// Shapes    points [sample, dim], image_shape [(z,) y, x]; result [sample]
/// Units     cycles per pixel; the weights are normalized to the sum `samples` (normalize_weights)
/// Accuracy  image errors for each kind of trajectory: test/reference/test_gridded_images.cpp
/// Throws    ValueError (a readout length that is unknown (0) or does not divide the number of samples; a readout that
///           is not a straight line through the center, to 1 % of its largest |k|); ShapeError, ValueError (as
///           check_trajectory)
/// Source    the Jacobian of polar coordinates and the formula of Euler and Maclaurin; for the center see Lauzon and
///           Rutt, "Effects of polar sampling in k-space", Magn Reson Med 36:940 (1996)
template <Precision Real>
WHORL_PUBLIC Array<Real> radial_density(const Context& ctx, const Trajectory& trajectory, const Shape& image_shape);

}  // namespace whorl
