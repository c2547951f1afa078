// Undoing the rigid motion of the object between readouts.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "whorl/scan/scan.hpp"

namespace WHORL_PUBLIC whorl {

/// Where the object lies during a readout: its point u, seen from the center of the field of view, is at R u + shift.
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

/// Makes the scan that of an object at rest: data d at k become exp(2 pi i k.shift) d at R^T k. Each pose is that of
/// equally many consecutive readouts, in the order of the frames: one pose for each readout, or for each 2, 3, ...
///
/// Samples that leave |k| <= 1/2 are dropped, and density weights of frames that moved; notes say so. Coil maps stay as
/// they are: with the object they would turn, which is not part of this model. So rotations have to be small on the
/// scale of the coils.
///
/// Source  Batchelor et al., Magn Reson Med 54:1273 (2005), for rigid motion
/// Throws  ValueError (a number of poses that does not divide the number of readouts, readouts of unknown length, an
///         unknown field of view), Cancelled
void undo_motion(const Context& ctx, Scan& scan, std::span<const ObjectPose> poses);

}  // namespace whorl
