// Analytic density weights of spiral trajectories.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Density weights of spiral arms that are one curve, turned by any angles: the area of each sample.
///
/// The time t along the arm and the angle of the arm cover the plane once (or each radius equally often), so the area
/// element is their Jacobian (Hoge et al., with g = dk/dt)
///
///   dA = |k . g| dt d(angle) = 1/2 |d(|k|^2)| d(angle).
///
/// The weight of a sample is this integral between the midpoints to the samples before and after it: half the
/// difference of the squared radii there. That is exact for any growth of the radius, also at the center, where |k . g|
/// vanishes. For an Archimedean spiral, where |k| is proportional to the angle, it equals the |k x g| / |k| of Meyer et
/// al. times the constant distance between turns. Here that distance may vary, so spirals of variable density are
/// covered too. The first and last cells end half a step beyond the sample, but not beyond the center.
///
/// The angle of an arm is half the sum of the gaps to its neighbors on both sides, so the weights are right for golden
/// angles and missing arms.
///
/// Limits  For a single arm the neighbors are its own turns: the formula is right if the radius grows by nearly the
///         same amount from turn to turn. Straight spokes are spirals without turns.
///
/// In 3D the arms must lie in planes of constant kz (a stack of spirals). The weight is then the area within the plane
/// times the thickness of the plane, between the midpoints to the neighboring planes.
///
/// Shapes  points [sample, dim]; result [sample]
/// Units   any one unit of k; the weights are normalized to the sum `samples` (normalize_weights)
/// Throws  ValueError (a readout length that is unknown (0) or does not divide the number of samples; a radius |k| that
///         does not rise, fall, or do each once along a readout; a radius that differs between readouts by more than 1
///         % of the largest, or kz that changes as much along a readout); ShapeError, ValueError (as check_trajectory)
/// Source  Hoge, Kwan, Pike, "Density compensation functions for spiral MRI", Magn Reson Med 38 (1997) 117; Meyer, Hu,
///         Nishimura, Macovski, "Fast spiral coronary artery imaging", Magn Reson Med 28 (1992) 202
template <Precision Real>
WHORL_PUBLIC Array<Real> spiral_density(const Context& ctx, const Trajectory& trajectory);

}  // namespace whorl
