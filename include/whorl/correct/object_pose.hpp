// Pose of an object during a readout.
#pragma once

#include <array>
#include <vector>

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// Pose of the object during a readout: its point u, seen from the center of the field of view, is at R u + shift.
/// R turns about x first, then y, then z. Positive angles turn y toward z, z toward x, and x toward y.
///
/// Axes    those of the image: x along the rows (read), y along the columns (phase), z along the slices
struct ObjectPose {
  std::array<double, 3> shift_mm{};
  std::array<double, 3> rotation_degrees{};  ///< about x, y and z

  friend bool operator==(const ObjectPose&, const ObjectPose&) = default;
};

/// Poses from rows of numbers: x, y, angle in 2D; x, y, z, and the angles about x, y and z in 3D (2D: 0 for those out of
/// the plane).
///
/// Shapes  rows [pose, 3 or 6]
/// Units   mm and degrees
/// Throws  ShapeError (other columns, no row), ValueError (a value that is not finite, or out of the plane in 2D)
std::vector<ObjectPose> object_poses(ArrayRef<const double> rows, int dim);

}  // namespace whorl
