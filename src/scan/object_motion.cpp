#include "whorl/scan/object_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scan/object_pose.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl {

namespace {

using Triple = std::array<double, 3>;
using Rotation = std::array<Triple, 3>;  // [row][column]

// About one axis: the next axis turns toward the one after it.
Rotation about(std::size_t axis, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const std::size_t from = (axis + 1) % 3;
  const std::size_t to = (axis + 2) % 3;
  Rotation turn{};
  turn[axis][axis] = 1;
  turn[from][from] = turn[to][to] = std::cos(angle);
  turn[to][from] = std::sin(angle);
  turn[from][to] = -std::sin(angle);
  return turn;
}

Rotation product(const Rotation& a, const Rotation& b) {
  Rotation c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t l = 0; l < 3; ++l) c[i][j] += a[i][l] * b[l][j];
    }
  }
  return c;
}

// Readouts are no longer of one length.
void keep_samples(const std::vector<Index>& samples, Trajectory& trajectory, Array<std::complex<float>>& data) {
  const auto count = static_cast<Index>(samples.size());
  const Context host;
  Trajectory kept{Array<double>(host, {count, trajectory.dim()}), 0};
  Array<std::complex<float>> kept_data(host, {data.extent(0), count});
  for (Index i = 0; i < count; ++i) {
    const Index sample = samples[static_cast<std::size_t>(i)];
    for (Index axis = 0; axis < kept.dim(); ++axis) {
      kept.points.view<2>()(i, axis) = trajectory.points.view<2>()(sample, axis);
    }
    for (Index coil = 0; coil < data.extent(0); ++coil) kept_data.view<2>()(coil, i) = data.view<2>()(coil, sample);
  }
  trajectory = std::move(kept);
  data = std::move(kept_data);
}

// Moves the samples of a frame. `pose_of` gives the pose of each of its readouts. Returns how many were dropped.
template <class PoseOf>
Index move_samples(const Scan& scan, ScanFrame& frame, const PoseOf& pose_of) {
  const Triple pixel = detail::pixel_size(scan, frame);
  const auto dim = static_cast<std::size_t>(scan.dim());
  const Trajectory& before = *frame.trajectory;
  const Context host;
  Trajectory moved{Array<double>(host, before.points.shape()), before.readout_length};
  const auto from = before.points.view<2>();
  const auto to = moved.points.view<2>();
  const auto data = frame.data.view<2>();
  std::vector<Index> inside;
  for (Index readout = 0; readout * before.readout_length < before.samples(); ++readout) {
    const detail::KSpaceMove move(pose_of(readout), pixel);
    for (Index i = 0; i < before.readout_length; ++i) {
      const Index sample = readout * before.readout_length + i;
      Triple k{};
      for (std::size_t axis = 0; axis < dim; ++axis) k[axis] = from(sample, static_cast<Index>(axis));
      const Triple turned = move.turned(k);
      bool in = true;
      for (std::size_t axis = 0; axis < dim; ++axis) {
        to(sample, static_cast<Index>(axis)) = turned[axis];
        in &= std::abs(turned[axis]) <= k_limit * (1 + k_limit_slack);
      }
      const std::complex<float> factor(std::polar(1.0, 2 * std::numbers::pi * move.turns(k)));
      for (Index coil = 0; coil < scan.coils; ++coil) data(coil, sample) *= factor;
      if (in) inside.push_back(sample);
    }
  }
  const auto dropped = before.samples() - static_cast<Index>(inside.size());
  if (inside.empty()) throw ValueError("motion: all samples of a frame leave |k| <= 1/2; are the angles in degrees?");
  if (dropped > 0) keep_samples(inside, moved, frame.data);
  frame.trajectory = std::make_shared<const Trajectory>(std::move(moved));
  frame.weights = nullptr;
  return dropped;
}

}  // namespace

detail::KSpaceMove::KSpaceMove(const ObjectPose& pose, const std::array<double, 3>& pixel_mm) {
  const auto& [x, y, z] = pose.rotation_degrees;
  const Rotation r = product(about(2, z), product(about(1, y), about(0, x)));
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

void undo_motion(const Context& ctx, Scan& scan, std::span<const ObjectPose> poses) {
  const Index readouts = detail::count_of_readouts(scan);
  const auto count = static_cast<Index>(poses.size());
  if (count == 0 || readouts % count != 0) {
    throw ValueError(
        fmt::format("motion: {} poses for {} readouts, expected one for each readout, or for each group "
                    "of equally many",
                    count, readouts));
  }
  const Index of_pose = readouts / count;
  ProgressStage progress(ctx, "motion", static_cast<Index>(scan.frames.size()));
  Index first = 0;
  Index dropped = 0;
  bool had_weights = false;
  double farthest = 0;
  double largest = 0;
  for (ScanFrame& frame : scan.frames) {
    ctx.check_cancel("motion");
    const auto pose_of = [&](Index readout) -> const ObjectPose& {
      return poses[static_cast<std::size_t>((first + readout) / of_pose)];
    };
    const Index here = readouts_of(frame, "motion");
    bool moves = false;
    for (Index readout = 0; readout < here; ++readout) moves |= pose_of(readout) != ObjectPose{};
    if (moves) {
      had_weights |= frame.weights != nullptr;
      dropped += move_samples(scan, frame, pose_of);
    }
    first += here;
    progress.advance();
  }
  for (const ObjectPose& pose : poses) {
    farthest = std::max(farthest, std::hypot(pose.shift_mm[0], pose.shift_mm[1], pose.shift_mm[2]));
    for (const double angle : pose.rotation_degrees) largest = std::max(largest, std::abs(angle));
  }
  scan.notes.push_back(
      fmt::format("Motion: {} {} undone, {} {} each, up to {:.3g} mm and {:.3g} degrees{}{}.", count,
                  count == 1 ? "pose" : "poses", of_pose, of_pose == 1 ? "readout" : "readouts", farthest, largest,
                  dropped > 0 ? fmt::format("; {} samples beyond |k| = 1/2 were dropped", dropped) : "",
                  had_weights ? "; density weights that came with the scan were dropped" : ""));
}

}  // namespace whorl
