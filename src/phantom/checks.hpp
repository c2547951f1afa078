// Private: checks and geometry of all phantoms.
#pragma once

#include <array>

#include "whorl/core/array.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl::detail {

/// Dimension of a matrix: 2 where z = 1, else 3. Throws ValueError for an extent that is not positive.
int matrix_dim(const std::array<Index, 3>& matrix);

/// [y, x] or [z, y, x].
Shape matrix_shape(const std::array<Index, 3>& matrix);

/// Throws ValueError when dim is not 2 or 3.
void check_dim(int dim, const char* phantom);

/// Throws ValueError when the phantom is of another dim than the matrix, or a figure has a value that is not finite or
/// a size that is not positive.
void check_phantom(const Phantom& phantom, const std::array<Index, 3>& matrix);

/// Throws ShapeError or ValueError unless the points are [sample, dim] and at most 1e6 cycles per pixel.
void check_points(ArrayRef<const double> points, int dim);

}  // namespace whorl::detail
