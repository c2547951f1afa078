// Private: the extents of an image in the order of a trajectory's columns.
#pragma once

#include <array>

#include "whorl/core/array.hpp"

namespace whorl::detail {

/// {x, y, z} of image_shape [(z,) y, x]; z is 1 in 2D. Throws ShapeError, naming the operation, unless points are
/// [sample, 2 or 3] and the image has as many axes, none of them empty.
std::array<Index, 3> image_extents(const char* operation, ArrayRef<const double> points, const Shape& image_shape);

}  // namespace whorl::detail
