#include "phantom/checks.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl::detail {

int matrix_dim(const std::array<Index, 3>& matrix) {
  for (const Index extent : matrix) {
    if (extent < 1) {
      throw ValueError(fmt::format("phantom: expected a matrix of positive extents x, y, z, got {} x {} x {}",
                                   matrix[0], matrix[1], matrix[2]));
    }
  }
  return matrix[2] > 1 ? 3 : 2;
}

Shape matrix_shape(const std::array<Index, 3>& matrix) {
  return matrix_dim(matrix) == 3 ? Shape{matrix[2], matrix[1], matrix[0]} : Shape{matrix[1], matrix[0]};
}

void check_ellipsoids(std::span<const Ellipsoid> ellipsoids) {
  for (std::size_t number = 0; number < ellipsoids.size(); ++number) {
    const Ellipsoid& ellipsoid = ellipsoids[number];
    bool good = std::isfinite(ellipsoid.angle) && std::isfinite(ellipsoid.intensity);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      good = good && std::isfinite(ellipsoid.center[axis]) && std::isfinite(ellipsoid.semi_axes[axis]) &&
             ellipsoid.semi_axes[axis] > 0;
    }
    if (!good) {
      throw ValueError(fmt::format("phantom: ellipsoid {} needs finite values and positive semi-axes", number));
    }
  }
}

void check_points(ArrayRef<const double> points, int dim) {
  if (points.rank() != 2 || points.extent(1) != dim) {
    throw ShapeError(fmt::format("phantom: expected points of shape [sample, {}] for this matrix, got {}", dim,
                                 to_string(points.shape())));
  }
  for (const double value : points.span()) {
    if (!std::isfinite(value)) throw ValueError(fmt::format("phantom: a k-space position is {}, not finite", value));
  }
}

}  // namespace whorl::detail
