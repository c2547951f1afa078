#include "whorl/correct/align_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "correct/motion/object_pose.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

constexpr double same_voxel = 1e-3;
constexpr double same_direction = 1e-4;

using Point = std::array<double, 3>;
using Axes = std::array<Point, 3>;

Axes axes_of(const Geometry& geometry) {
  return {geometry.read_direction, geometry.phase_direction, geometry.slice_direction};
}

double product_of(const Point& a, const Point& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// How an image at `other` has an object that rests in the image at `first`: the point u of that is at R u + shift, with row i
// of R and of the shift along axis i of `other`.
struct Turn {
  Axes rows{};
  Point shift_mm{};

  Turn(const Geometry& first, const Geometry& other) {
    const Axes from = axes_of(first);
    const Axes to = axes_of(other);
    Point apart{};
    for (std::size_t i = 0; i < 3; ++i) apart[i] = first.position_mm[i] - other.position_mm[i];
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) rows[i][j] = product_of(to[i], from[j]);
      shift_mm[i] = product_of(to[i], apart);
    }
  }

  bool turns() const {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (std::abs(rows[i][j] - (i == j ? 1 : 0)) > same_direction) return true;
      }
    }
    return false;
  }

  // Angles about x, y and z of R = R_z R_y R_x (ObjectPose).
  ObjectPose pose() const {
    const double degrees = 180 / std::numbers::pi;
    const double y = std::asin(std::clamp(-rows[2][0], -1.0, 1.0));
    const bool upright = std::abs(rows[2][0]) < 1 - 1e-12;  // else x and z turn about one axis
    const double x = upright ? std::atan2(rows[2][1], rows[2][2]) : 0;
    const double z = upright ? std::atan2(rows[1][0], rows[0][0]) : std::atan2(-rows[0][1], rows[1][1]);
    return {shift_mm, {x * degrees, y * degrees, z * degrees}};
  }
};

void check_field_of_view(const Scan& first, const Scan& scan) {
  const auto words = [](const std::array<Index, 3>& m) { return fmt::format("{} x {} x {}", m[0], m[1], m[2]); };
  if (scan.matrix != first.matrix) {
    throw ValueError(fmt::format("{}: has a matrix of {}, expected that of {}, {}; reconstruct both with one matrix",
                                 name_of_joined(scan), words(scan.matrix), name_of_joined(first), words(first.matrix)));
  }
  const Geometry& a = first.frames.front().geometry;
  for (const ScanFrame& frame : scan.frames) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(first.dim()); ++axis) {
      const double expected = a.field_of_view_mm[axis];
      const double got = frame.geometry.field_of_view_mm[axis];
      if (std::abs(got - expected) <= same_voxel * expected / static_cast<double>(first.matrix[axis])) continue;
      throw ValueError(
          fmt::format("{}: has a field of view of {:g} mm along {}, expected {:g} mm as {}; a joint image "
                      "has one field of view",
                      name_of_joined(scan), got, "xyz"[axis], expected, name_of_joined(first)));
    }
  }
}

// The pose in voxels that differ; none: the places are equal.
std::optional<ObjectPose> pose_between(const Scan& first, const ScanFrame& at, const Scan& scan,
                                       const ScanFrame& frame) {
  const Turn turn(at.geometry, frame.geometry);
  Point voxels{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double mm = at.geometry.field_of_view_mm[axis] / static_cast<double>(first.matrix[axis]);
    if (turn.shift_mm[axis] != 0 && !(mm > 0)) {
      throw ValueError(
          fmt::format("{}: lies {:.3g} mm from {} along {}, and their field of view is not known; give "
                      "scans that say it, or that lie at one place",
                      name_of_joined(scan), turn.shift_mm[axis], name_of_joined(first), "xyz"[axis]));
    }
    voxels[axis] = mm > 0 ? turn.shift_mm[axis] / mm : 0;
  }
  const bool shifts = std::any_of(voxels.begin(), voxels.end(), [](double v) { return std::abs(v) > same_voxel; });
  if (!shifts && !turn.turns()) return std::nullopt;
  ObjectPose pose = turn.pose();
  if (first.dim() == 2) {
    if (std::abs(voxels[2]) > same_voxel || std::abs(turn.rows[2][2] - 1) > same_direction * same_direction) {
      throw ValueError(fmt::format(
          "{}: slice {} lies {:.3g} mm and {:.3g} degrees outside of the plane of {}; 2D scans of one image "
          "have one plane",
          name_of_joined(scan), frame.index.slice, std::abs(turn.shift_mm[2]),
          std::acos(std::clamp(turn.rows[2][2], -1.0, 1.0)) * 180 / std::numbers::pi, name_of_joined(first)));
    }
    pose.shift_mm[2] = pose.rotation_degrees[0] = pose.rotation_degrees[1] = 0;
  }
  return pose;
}

}  // namespace

std::string name_of_joined(const Scan& scan) { return scan.source.empty() ? "a joint scan" : scan.source; }

std::vector<std::size_t> order_of_frames(const Scan& first, const Scan& scan) {
  std::map<int, std::vector<std::size_t>> of_slice;
  for (std::size_t f = 0; f < scan.frames.size(); ++f) of_slice[scan.frames[f].index.slice].push_back(f);
  std::map<int, std::size_t> taken;
  std::vector<std::size_t> order;
  for (const ScanFrame& frame : first.frames) {
    const std::size_t t = taken[frame.index.slice]++;
    if (t < of_slice[frame.index.slice].size()) order.push_back(of_slice[frame.index.slice][t]);
  }
  for (const auto& [slice, frames] : of_slice) {
    if (frames.size() == taken[slice]) continue;
    throw ValueError(
        fmt::format("{}: has {} frames of slice {}, expected {} as {}; frame t of all joint scans is one "
                    "image",
                    name_of_joined(scan), frames.size(), slice, taken[slice], name_of_joined(first)));
  }
  return order;
}

bool align_scan(const Scan& first, Scan& scan) {
  if (first.frames.empty() || scan.frames.empty()) {
    throw ValueError(fmt::format("{}: holds no frames, expected those of a joint scan",
                                 name_of_joined(first.frames.empty() ? first : scan)));
  }
  check_field_of_view(first, scan);
  const std::vector<std::size_t> order = order_of_frames(first, scan);
  std::optional<ObjectPose> largest;
  Index dropped = 0;
  bool had_weights = false;
  // Frames that shared a trajectory share the moved one.
  std::map<std::pair<std::shared_ptr<const Trajectory>, std::array<double, 6>>, std::shared_ptr<const Trajectory>>
      moved;
  for (std::size_t f = 0; f < order.size(); ++f) {
    ScanFrame& frame = scan.frames[order[f]];
    const auto pose = pose_between(first, first.frames[f], scan, frame);
    frame.geometry = first.frames[f].geometry;
    if (!pose) continue;
    if (!largest) largest = pose;
    had_weights = had_weights || frame.weights != nullptr;
    const auto& [shift, angles] = *pose;
    const std::array<double, 6> key{shift[0], shift[1], shift[2], angles[0], angles[1], angles[2]};
    const std::shared_ptr<const Trajectory> before = frame.trajectory;
    dropped += detail::undo_pose(scan, frame, *pose);
    frame.trajectory = moved.try_emplace({before, key}, frame.trajectory).first->second;
  }
  if (!largest) return false;
  const bool had_maps = scan.coil_maps.size() > 0;
  scan.coil_maps = {};
  const auto& [shift, angles] = *largest;
  scan.notes.emplace_back(doubt_if(
      dropped > 0 || had_maps || had_weights,
      fmt::format(
          "Place: moved to that of {} by the headers, {:.3g}, {:.3g}, {:.3g} mm and {:.3g}, {:.3g}, {:.3g} degrees "
          "in the first frame that differs{}{}.",
          name_of_joined(first), shift[0], shift[1], shift[2], angles[0], angles[1], angles[2],
          detail::what_was_dropped(dropped, had_weights),
          had_maps ? "; the coil maps of the scan, of its former place, were left out" : "")));
  return true;
}

}  // namespace whorl
