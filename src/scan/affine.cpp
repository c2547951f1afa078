#include "whorl/scan/affine.hpp"

#include <fmt/format.h>

#include <cmath>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

void check_geometry(const Geometry& geometry, const std::array<Index, 3>& matrix) {
  const std::array<const Vector*, 3> directions{&geometry.read_direction, &geometry.phase_direction,
                                                &geometry.slice_direction};
  constexpr std::array<const char*, 3> names{"read", "phase", "slice"};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (matrix[axis] < 1) {
      throw ValueError(
          fmt::format("image geometry: expected at least 1 voxel along {}, got {}", "xyz"[axis], matrix[axis]));
    }
    const double field_of_view = geometry.field_of_view_mm[axis];
    if (!std::isfinite(geometry.position_mm[axis]) || !std::isfinite(field_of_view) || field_of_view < 0) {
      throw ValueError(fmt::format(
          "image geometry: along {} the position is {} mm and the field of view {} mm; both must be finite, and the "
          "field of view not negative",
          "xyz"[axis], geometry.position_mm[axis], field_of_view));
    }
    // Headers hold directions as float, often rounded to a few digits: 1e-3 rad moves the edge of a 300 mm field of
    // view by 0.15 mm, below a voxel.
    constexpr double tolerance = 1e-3;
    for (std::size_t other = axis; other < 3; ++other) {
      const double expected = axis == other ? 1 : 0;
      const double product = dot(*directions[axis], *directions[other]);
      if (!(std::abs(product - expected) <= tolerance)) {
        throw ValueError(
            fmt::format("image geometry: the {} and {} directions have the inner product {:.4g}, expected {}: the "
                        "directions must be perpendicular unit vectors",
                        names[axis], names[other], product, expected));
      }
    }
  }
}

}  // namespace

Affine voxel_affine(const Geometry& geometry, const std::array<Index, 3>& matrix) {
  check_geometry(geometry, matrix);
  const std::array<const Vector*, 3> directions{&geometry.read_direction, &geometry.phase_direction,
                                                &geometry.slice_direction};
  Affine affine;
  for (std::size_t row = 0; row < 3; ++row) {
    const double ras_sign = row < 2 ? -1 : 1;
    double origin = geometry.position_mm[row];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double field_of_view = geometry.field_of_view_mm[axis];
      const double edge = field_of_view > 0 ? field_of_view / static_cast<double>(matrix[axis]) : 1;
      const double step = edge * (*directions[axis])[row];
      affine.matrix[row][axis] = ras_sign * step;
      const Index center = matrix[axis] / 2;
      origin -= step * static_cast<double>(center);
      if (field_of_view <= 0) affine.in_scanner = false;
    }
    affine.matrix[row][3] = ras_sign * origin;
  }
  return affine;
}

}  // namespace whorl
