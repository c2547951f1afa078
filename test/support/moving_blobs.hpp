// A scan of round blobs that move between readouts, by their analytic transform.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "whorl/correct/object_motion.hpp"

namespace whorl::test {

struct Blob {
  Eigen::Vector3d center_mm;
  double amplitude;
};

/// Gaussians of 6 mm (exp(-pi r^2 / (6 mm)^2)), whose transform is known: turning one is moving its center.
inline const std::vector<Blob> blobs{{{21, -13, 5}, 1.0}, {{-30, 8, -11}, 0.6}, {{4, 33, 17}, -0.8}};
inline constexpr double blob_mm = 6;

/// By the right-hand rule: positive angles turn y toward z, z toward x, x toward y.
inline Eigen::Vector3d moved(const Eigen::Vector3d& place, const ObjectPose& pose) {
  constexpr double degree = std::numbers::pi / 180;
  const auto& [x, y, z] = pose.rotation_degrees;
  const Eigen::Matrix3d turn = (Eigen::AngleAxisd(z * degree, Eigen::Vector3d::UnitZ()) *
                                Eigen::AngleAxisd(y * degree, Eigen::Vector3d::UnitY()) *
                                Eigen::AngleAxisd(x * degree, Eigen::Vector3d::UnitX()))
                                   .toRotationMatrix();
  return turn * place + Eigen::Vector3d(pose.shift_mm.data());
}

/// Sample j of the first frame, with the object at a pose.
inline std::complex<double> blob_signal(const Scan& scan, Index j, const ObjectPose& pose) {
  const ScanFrame& frame = scan.frames.front();
  Eigen::Vector3d per_mm(0, 0, 0);
  for (Index axis = 0; axis < frame.trajectory->dim(); ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    per_mm[axis] = frame.trajectory->points.view<2>()(j, axis) * static_cast<double>(scan.matrix[a]) /
                   frame.geometry.field_of_view_mm[a];
  }
  std::complex<double> sum = 0;
  for (const Blob& blob : blobs) {
    sum += blob.amplitude * std::polar(std::exp(-std::numbers::pi * blob_mm * blob_mm * per_mm.squaredNorm()),
                                       -2 * std::numbers::pi * per_mm.dot(moved(blob.center_mm, pose)));
  }
  return sum;
}

/// One coil, pixels of unequal sizes. Readout r sees the object at pose r / (readouts / poses).
inline Scan blob_scan(Trajectory trajectory, const std::array<Index, 3>& matrix, const std::vector<ObjectPose>& poses) {
  const Context ctx;
  Scan scan;
  scan.matrix = matrix;
  scan.coils = 1;
  scan.frames.resize(1);
  ScanFrame& frame = scan.frames.front();
  frame.geometry.field_of_view_mm = {120, 150, 100};
  frame.trajectory = std::make_shared<const Trajectory>(std::move(trajectory));
  const Index samples = frame.trajectory->samples();
  frame.data = Array<std::complex<float>>(ctx, {1, samples});
  for (Index j = 0; j < samples; ++j) {
    const auto pose = static_cast<std::size_t>(j * static_cast<Index>(poses.size()) / samples);
    frame.data.data()[j] = std::complex<float>(blob_signal(scan, j, poses[pose]));
  }
  return scan;
}

}  // namespace whorl::test
