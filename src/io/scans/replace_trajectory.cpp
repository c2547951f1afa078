#include "io/scans/replace_trajectory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/format.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/pulseq.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl::io {

namespace {

Scan read_plan(const Context& ctx, const Scan& scan, const std::filesystem::path& path) {
  const Format* format = recognize(read_start(path));
  if (format == nullptr || format->name != "pulseq") return read_scan(ctx, path);
  return read_pulseq(ctx, path, {scan.matrix, scan.frames.front().geometry.field_of_view_mm});
}

/// Size of the scan's pixels over that of the plan's.
std::array<double, 3> pixel_ratio(const Scan& scan, const Scan& plan, const std::string& source) {
  std::array<double, 3> ratio{1, 1, 1};
  for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
    const double field = scan.frames.front().geometry.field_of_view_mm[axis];
    const double planned = plan.frames.front().geometry.field_of_view_mm[axis];
    const auto pixels = static_cast<double>(scan.matrix[axis]);
    const auto planned_pixels = static_cast<double>(plan.matrix[axis]);
    if (field > 0 && planned > 0) {
      ratio[axis] = (field / pixels) / (planned / planned_pixels);
    } else if (scan.matrix[axis] != plan.matrix[axis]) {
      throw ValueError(fmt::format(
          "'{}': its positions are for a matrix of {}, the data for {}, and the sizes of the pixels are not known",
          source, fmt::join(plan.matrix, " x "), fmt::join(scan.matrix, " x ")));
    }
  }
  return ratio;
}

const ScanFrame& frame_for(const Scan& plan, const ScanFrame& frame, const std::string& source) {
  if (plan.frames.size() == 1) return plan.frames.front();
  const auto found = std::find_if(plan.frames.begin(), plan.frames.end(),
                                  [&](const ScanFrame& candidate) { return candidate.index == frame.index; });
  if (found != plan.frames.end()) return *found;
  const FrameIndex& index = frame.index;
  throw ShapeError(fmt::format(
      "'{}': it has {} frames, but none of slice {}, contrast {}, phase {}, repetition {}, set {}, which the "
      "data have",
      source, plan.frames.size(), index.slice, index.contrast, index.phase, index.repetition, index.set));
}

}  // namespace

void replace_trajectory(const Context& ctx, Scan& scan, const std::filesystem::path& path) {
  const std::string source = path.string();
  const Scan plan = read_plan(ctx, scan, path);
  if (plan.dim() != scan.dim()) {
    throw ShapeError(
        fmt::format("'{}': its trajectory has {} dimensions, the image {}", source, plan.dim(), scan.dim()));
  }
  const std::array<double, 3> ratio = pixel_ratio(scan, plan, source);
  TrajectorySet trajectories;
  for (ScanFrame& frame : scan.frames) {
    const Trajectory& planned = *frame_for(plan, frame, source).trajectory;
    const Index length = frame.trajectory == nullptr ? 0 : frame.trajectory->readout_length;
    const Index samples = frame.trajectory == nullptr ? frame.data.extent(1) : frame.trajectory->samples();
    if (planned.samples() != samples ||
        (length > 0 && planned.readout_length > 0 && length != planned.readout_length)) {
      throw ShapeError(
          fmt::format("'{}': a frame of {} samples in readouts of {}, but the data have {} in readouts of {}", source,
                      planned.samples(), planned.readout_length, samples, length));
    }
    frame.weights = nullptr;
    trajectories.attach(frame, {clone(ctx, planned.points.ref()), planned.readout_length}, {});
  }
  scan.notes.insert(scan.notes.end(), plan.notes.begin(), plan.notes.end());
  scan.notes.push_back(fmt::format("The positions of the samples are those of '{}'.", source));
  trajectories.finish(ctx, scan, {{scan.matrix, {}}, ratio, {}, TrajectoryUnit::cycles_per_pixel});
  scan.trajectory_unit = plan.trajectory_unit;
  scan.trajectory_kind = plan.trajectory_kind;
  if (plan.dwell_us > 0) {
    scan.dwell_us = plan.dwell_us;
    scan.readout_start_us = plan.readout_start_us;
  }
}

}  // namespace whorl::io
