// Private: checks and geometry that the phantoms share.
#pragma once

#include <array>
#include <span>

#include "whorl/core/array.hpp"
#include "whorl/phantom/ellipsoid.hpp"

namespace whorl::detail {

/// 2 or 3: z = 1 is two-dimensional. Throws ValueError when an extent is not positive.
int matrix_dim(const std::array<Index, 3>& matrix);

/// [y, x] or [z, y, x].
Shape matrix_shape(const std::array<Index, 3>& matrix);

/// Throws ValueError when an ellipsoid has a value that is not finite or a semi-axis that is not positive.
void check_ellipsoids(std::span<const Ellipsoid> ellipsoids);

/// Throws ShapeError or ValueError unless the points are [sample, dim] and finite.
void check_points(ArrayRef<const double> points, int dim);

}  // namespace whorl::detail
