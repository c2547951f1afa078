// Straight readouts through or from the center of k-space.
#pragma once

#include <optional>

#include "whorl/trajectory/trajectory.hpp"

namespace whorl {

/// How far a sample of a spoke may lie off the straight line through the center: this part of the spoke's largest |k|.
inline constexpr double spoke_line_tolerance = 0.01;

/// The largest distance of neighboring samples along the spokes of a trajectory, in cycles per pixel; nothing where its
/// readouts are not straight lines through or from the center, or are not known. Its inverse is the distance, in
/// pixels, at which such a trajectory repeats an object along each spoke: two points of an image that lie farther apart
/// can not be told from each other.
///
/// Shapes  points [sample, dim], on the host
std::optional<double> largest_spoke_step(const Trajectory& trajectory);

/// Whether copies of an object reach into the corners of the field of view: the trajectory has spokes, and the
/// distance at which they repeat the object is below (|N| + max N) / 2, that from the edge of the ellipsoid inscribed
/// to the field of view to a corner on the other side. Nothing can be said of the corners then.
///
/// Shapes  points [sample, dim], on the host; image_shape [(z,) y, x]
bool corners_alias(const Trajectory& trajectory, const Shape& image_shape);

}  // namespace whorl
