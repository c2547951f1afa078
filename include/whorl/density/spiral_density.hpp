// Analytic density weights of spiral trajectories.
#pragma once

#include "whorl/core/context.hpp"
#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// Density weights of spiral arms that are one curve, turned by any angles: the area that belongs to a sample.
///
/// The time t along the arm and the angle by which it is turned cover the plane once (or each radius equally often), so
/// the area element is their Jacobian (Hoge et al., with g = dk/dt)
///
///   dA = |k . g| dt d(angle) = 1/2 |d(|k|^2)| d(angle).
///
/// The weight of a sample is this, integrated over the time from halfway after the sample before to halfway before the
/// next: half the difference of the squares of the radii there, which is exact however fast the radius grows, at the
/// center too, where |k . g| itself vanishes. For an Archimedean spiral, where |k| grows in proportion to the angle, it
/// is the |k x g| / |k| of Meyer et al. times the constant distance between turns; here that distance may vary, so
/// spirals of variable density get their weights too. The first and last cells end half a step outside of the sample,
/// but not beyond the center.
///
/// The angle of an arm is half of the gaps to the arms on both sides of it, so that golden angles and missing arms get
/// the weights that their gaps ask for.
///
/// Limits  A single arm relies on its own turns: the formula is then right where the radius grows by nearly the same
///         from turn to turn. Straight spokes are spirals of no turn.
///
/// In 3D the arms must lie in planes of constant kz (a stack of spirals). The weight is then the area, among the arms
/// of the plane, times the distance between the midpoints to the planes next to it.
///
/// Shapes  points [sample, dim]; result [sample]
/// Units   any one unit of k; the weights are normalized to the sum `samples` (normalize_weights)
/// Throws  ValueError when the readout length is unknown (0) or does not divide the number of samples; when the radius
///         |k| along a readout does anything but rise, fall, or do each once; when it is not the same for all readouts
///         (to 1 % of the largest); when kz changes along a readout (by as much); ShapeError, ValueError from
///         check_trajectory
/// Source  Hoge, Kwan, Pike, "Density compensation functions for spiral MRI", Magn Reson Med 38 (1997) 117; Meyer, Hu,
///         Nishimura, Macovski, "Fast spiral coronary artery imaging", Magn Reson Med 28 (1992) 202
template <class Real>
Array<Real> spiral_density(const Context& ctx, const Trajectory& trajectory);

}  // namespace whorl
