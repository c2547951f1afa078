#include "whorl/correct/object_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <vector>

#include "correct/motion/object_pose.hpp"
#include "whorl/core/error.hpp"
#include "whorl/scan/regroup.hpp"

namespace whorl {

namespace {

using Triple = std::array<double, 3>;

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
  // Readouts of unknown length count as one.
  const Index length = before.readout_length > 0 ? before.readout_length : before.samples();
  for (Index readout = 0; readout * length < before.samples(); ++readout) {
    const detail::KSpaceMove move(pose_of(readout), pixel);
    for (Index i = 0; i < length; ++i) {
      const Index sample = readout * length + i;
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

Index detail::undo_pose(const Scan& scan, ScanFrame& frame, const ObjectPose& pose) {
  return move_samples(scan, frame, [&](Index) -> const ObjectPose& { return pose; });
}

std::string detail::what_was_dropped(Index samples, bool weights) {
  return (samples > 0 ? fmt::format("; {} samples beyond |k| = 1/2 were dropped", samples) : "") +
         (weights ? "; density weights that came with the scan were dropped" : "");
}

void undo_motion(const Context& ctx, Scan& scan, std::span<const ObjectPose> poses) {
  const std::size_t count = poses.size();
  const Index of_pose = detail::readouts_of_pose(scan, count, "motion");
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
  scan.notes.emplace_back(
      doubt_if(dropped > 0 || had_weights,
               fmt::format("Motion: {} {} undone, {} {} each, up to {:.3g} mm and {:.3g} degrees{}.", count,
                           count == 1 ? "pose" : "poses", of_pose, of_pose == 1 ? "readout" : "readouts", farthest,
                           largest, detail::what_was_dropped(dropped, had_weights))));
}

}  // namespace whorl
