#include "correct/motion/object_pose.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "math/rotation.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl {

detail::KSpaceMove::KSpaceMove(const ObjectPose& pose, const std::array<double, 3>& pixel_mm) {
  const auto& [x, y, z] = pose.rotation_degrees;
  const auto radians = [](double degrees) { return degrees * std::numbers::pi / 180; };
  const Rotation r = rotation_about_axes(radians(x), radians(y), radians(z));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) turn[i][j] = r[j][i] * pixel_mm[i] / pixel_mm[j];
    shift[i] = pose.shift_mm[i] / pixel_mm[i];
  }
}

std::array<double, 3> detail::pixel_size(const Scan& scan, const ScanFrame& frame) {
  std::array<double, 3> pixel{1, 1, 1};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
    pixel[axis] = frame.geometry.field_of_view_mm[axis] / static_cast<double>(scan.matrix[axis]);
    if (!(pixel[axis] > 0 && std::isfinite(pixel[axis]))) {
      throw ValueError("motion: the scan does not say its field of view, expected mm for shifts and unequal pixels");
    }
  }
  return pixel;
}

Index detail::count_of_readouts(const Scan& scan) {
  Index count = 0;
  for (const ScanFrame& frame : scan.frames) count += readouts_of(frame, "motion");
  return count;
}

Index detail::readouts_of_pose(const Scan& scan, std::size_t poses, const char* operation) {
  const Index readouts = count_of_readouts(scan);
  const auto count = static_cast<Index>(poses);
  if (count > 0 && readouts % count == 0) return readouts / count;
  throw ValueError(
      fmt::format("{}: {} poses for {} readouts, expected one for each readout, or for each group of equally many",
                  operation, count, readouts));
}

std::vector<ObjectPose> object_poses(ArrayRef<const double> rows, int dim) {
  if (rows.rank() != 2 || rows.extent(0) == 0 || (rows.extent(1) != 6 && !(dim == 2 && rows.extent(1) == 3))) {
    throw ShapeError(fmt::format(
        "motion: poses {}, expected rows of {}", to_string(rows.shape()),
        dim == 2 ? "x, y and an angle, or of x, y, z and three angles" : "x, y, z and the angles about x, y and z"));
  }
  std::vector<ObjectPose> poses;
  const auto number = rows.view<2>();
  for (Index row = 0; row < rows.extent(0); ++row) {
    ObjectPose pose;
    if (rows.extent(1) == 3) {
      pose = {{number(row, 0), number(row, 1), 0}, {0, 0, number(row, 2)}};
    } else {
      pose = {{number(row, 0), number(row, 1), number(row, 2)}, {number(row, 3), number(row, 4), number(row, 5)}};
    }
    for (Index column = 0; column < rows.extent(1); ++column) {
      if (std::isfinite(number(row, column))) continue;
      throw ValueError(fmt::format("motion: value {} of pose {} is not finite", column, row));
    }
    if (dim == 2 && (pose.shift_mm[2] != 0 || pose.rotation_degrees[0] != 0 || pose.rotation_degrees[1] != 0)) {
      throw ValueError(
          fmt::format("motion: pose {} leaves the plane of a 2D image, expected z and the angles about x "
                      "and y to be 0",
                      row));
    }
    poses.push_back(pose);
  }
  return poses;
}

}  // namespace whorl
