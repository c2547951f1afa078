// Spokes: straight readouts through or from the center of k-space.
#pragma once

#include <optional>

#include "whorl/trajectory/trajectory.hpp"

namespace WHORL_PUBLIC whorl {

/// Largest distance of a spoke's sample from the straight line through the center, relative to the spoke's largest |k|.
inline constexpr double spoke_line_tolerance = 0.01;

/// The largest distance between neighboring samples along the spokes of a trajectory, in cycles per pixel. No value if
/// the readouts are unknown, or are not straight lines through or from the center. Its inverse is the distance, in
/// pixels, at which the trajectory repeats an object along each spoke: positions in the image that are farther apart
/// alias.
///
/// Shapes  points [sample, dim], on the host
std::optional<double> largest_spoke_step(const Trajectory& trajectory);

/// True if copies of the object reach into the corners of the field of view: the trajectory has spokes, and they repeat
/// the object at a distance below (|N| + max N) / 2. That is the distance from the edge of the ellipsoid inscribed in
/// the field of view to the opposite corner. The corners of the image are then meaningless.
///
/// Shapes  points [sample, dim], on the host; image_shape [(z,) y, x]
bool corners_alias(const Trajectory& trajectory, const Shape& image_shape);

}  // namespace whorl
