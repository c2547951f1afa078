// Checks of both Nufft and Dft.
#pragma once

#include <array>

#include "whorl/core/array.hpp"

namespace whorl {

/// Checks trajectory, image shape and number of coils against each other, and gives the domain [coil, image...].
/// `least_dim`: 1 where images may have one axis. Throws ShapeError or ValueError, naming `operation`.
Shape encoding_domain(const Context& ctx, const char* operation, ArrayRef<const double> points,
                      const Shape& image_shape, Index coils, int least_dim = 2);

/// Extents z, y, x of an image [x], [y, x] or [z, y, x].
std::array<Index, 3> padded_to_3d(const Shape& image_shape);

}  // namespace whorl
