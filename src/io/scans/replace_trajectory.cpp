#include "io/scans/replace_trajectory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "io/convert/layouts.hpp"
#include "io/format.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/read_scan.hpp"

namespace whorl::io {

namespace {

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

/// Samples of a frame from all of the data: [coil, sample].
Array<std::complex<float>> gathered(const Context& ctx, const Array<std::complex<float>>& data,
                                    const std::vector<PulseqReadout>& readouts, Index samples) {
  Array<std::complex<float>> part(ctx, {data.extent(0), samples});
  for (Index coil = 0; coil < data.extent(0); ++coil) {
    std::complex<float>* to = part.data() + coil * samples;
    for (const PulseqReadout& one : readouts) {
      const std::complex<float>* from = data.data() + coil * data.extent(1) + one.first;
      to = std::copy(from, from + one.samples, to);
    }
  }
  return part;
}

/// Deals the samples of data without counters out to the frames of a sequence.
void deal_out(const Context& ctx, Scan& scan, const PulseqReadouts& sequence) {
  const ScanFrame whole = std::move(scan.frames.front());
  std::map<FrameIndex, std::vector<PulseqReadout>> frames;
  for (const PulseqReadout& readout : sequence.readouts) frames[readout.frame].push_back(readout);
  scan.frames.clear();
  for (const auto& [index, readouts] : frames) {
    Index samples = 0;
    bool alike = true;
    for (const PulseqReadout& one : readouts) {
      samples += one.samples;
      alike = alike && one.samples == readouts.front().samples;
    }
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = index;
    frame.geometry = whole.geometry;
    frame.data = gathered(ctx, whole.data, readouts, samples);
    frame.trajectory = std::make_shared<const Trajectory>(
        Trajectory{Array<double>(ctx, {samples, 0}), alike ? readouts.front().samples : 0});
  }
  scan.notes.emplace_back(
      fmt::format("The data count no frames: their readouts are those of the sequence's {} frames, in "
                  "the order of acquisition.",
                  scan.frames.size()));
}

/// Whether a plan has each frame of the data, with as many samples.
bool has_frames_of(const Scan& plan, const Scan& scan) {
  return std::ranges::all_of(scan.frames, [&](const ScanFrame& frame) {
    return std::ranges::any_of(plan.frames, [&](const ScanFrame& planned) {
      return planned.index == frame.index && planned.trajectory->samples() == frame.trajectory->samples();
    });
  });
}

/// The frame of the plan for frame `number` of the scan.
const ScanFrame& frame_for(const Scan& plan, const Scan& scan, std::size_t number) {
  if (plan.frames.size() == 1) return plan.frames.front();
  const FrameIndex& index = scan.frames[number].index;
  const auto same = [](const FrameIndex& wanted) {
    return [wanted](const ScanFrame& candidate) { return candidate.index == wanted; };
  };
  const auto found = std::find_if(plan.frames.begin(), plan.frames.end(), same(index));
  if (found != plan.frames.end()) return *found;
  // Counters that one of both does not keep: both are in the order of acquisition.
  if (plan.frames.size() == scan.frames.size()) {
    const bool none = std::none_of(scan.frames.begin(), scan.frames.end(), [&](const ScanFrame& frame) {
      return frame.index != FrameIndex{} && std::any_of(plan.frames.begin(), plan.frames.end(), same(frame.index));
    });
    if (none) return plan.frames[number];
  }
  throw ShapeError(fmt::format(
      "'{}': it has {} frames, but none of slice {}, contrast {}, phase {}, repetition {}, set {}, which the "
      "data have",
      plan.source, plan.frames.size(), index.slice, index.contrast, index.phase, index.repetition, index.set));
}

/// Fills in the trajectory's name where the file has one array alone, which then is it.
void name_only_array(const Context& ctx, const std::filesystem::path& path, ConvertOptions& options) {
  if (!options.trajectory_variable.empty()) return;
  const std::vector<NamedArray> arrays = read_arrays(ctx, path);
  if (arrays.size() == 1) options.trajectory_variable = arrays.front().name;
}

}  // namespace

PlannedPositions read_trajectory(const Context& ctx, const std::filesystem::path& path, const ConvertOptions& image) {
  const FileStart file = read_start(path);
  const Format* format = recognize(file);
  if (format != nullptr && format->name == "pulseq") {
    PulseqReadouts sequence = read_pulseq_readouts(ctx, path);
    Scan scan = scan_of_readouts(ctx, sequence, path.string(), {image.matrix, image.field_of_view_mm});
    return {std::move(scan), std::move(sequence)};
  }
  const bool arrays = format != nullptr && format->read_arrays != nullptr &&
                      (format->holds_scan == nullptr || !format->holds_scan(file));
  if (!arrays) {
    ScanReadOptions read;
    read.trajectory_unit = image.trajectory_unit;
    return {read_scan(ctx, path, read)};
  }
  Scan plan;
  plan.source = path.string();
  plan.trajectory_kind = image.trajectory_kind;
  ConvertOptions options = image;
  name_only_array(ctx, path, options);
  TrajectorySet trajectories;
  const std::array<bool, 3> counted = convert_arrays(ctx, {path}, options, plan, trajectories);
  for (ScanFrame& frame : plan.frames) frame.geometry.field_of_view_mm = options.field_of_view_mm;
  trajectories.finish(ctx, plan,
                      {{plan.matrix, options.field_of_view_mm}, {1, 1, 1}, counted, options.trajectory_unit});
  return {std::move(plan)};
}

void deal_out_frames(const Context& ctx, Scan& scan, const PlannedPositions& plan) {
  if (scan.frames.size() != 1 || plan.scan.frames.size() < 2 || !plan.sequence) return;
  if (scan.frames.front().data.extent(-1) == plan.sequence->seconds.size()) deal_out(ctx, scan, *plan.sequence);
}

void replace_trajectory(const Context& ctx, Scan& scan, const ScanReadOptions& options,
                        const std::vector<FrameIndex>& readouts) {
  ConvertOptions image;
  image.matrix = scan.matrix;
  image.field_of_view_mm = scan.frames.front().geometry.field_of_view_mm;
  image.trajectory_kind = scan.trajectory_kind;
  image.trajectory_unit = options.trajectory_unit;
  image.trajectory_from = options.trajectory_from;
  PlannedPositions planned = read_trajectory(ctx, options.trajectory_from, image);
  Scan& plan = planned.scan;
  if (scan.frames.size() == 1) {
    deal_out_frames(ctx, scan, planned);
  } else if (const auto& sequence = planned.sequence) {
    // Slices by pulses are numbered as they come, and those of the data perhaps by their place.
    if (sequence->readouts.size() == readouts.size() && (sequence->slices_by_pulses || !has_frames_of(plan, scan))) {
      plan = scan_of_readouts(ctx, *sequence, plan.source, {image.matrix, image.field_of_view_mm}, readouts);
      plan.notes.emplace_back("The counters of the data tell the frames of the sequence's readouts, in their order.");
    }
  }
  replace_trajectory(ctx, scan, plan);
}

void replace_trajectory(const Context& ctx, Scan& scan, const Scan& plan) {
  const std::string& source = plan.source;
  if (plan.dim() != scan.dim()) {
    throw ShapeError(
        fmt::format("'{}': its trajectory has {} dimensions, the image {}", source, plan.dim(), scan.dim()));
  }
  const std::array<double, 3> ratio = pixel_ratio(scan, plan, source);
  TrajectorySet trajectories;
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    ScanFrame& frame = scan.frames[i];
    const Trajectory& planned = *frame_for(plan, scan, i).trajectory;
    const Index length = frame.trajectory == nullptr ? 0 : frame.trajectory->readout_length;
    const Index samples = frame.trajectory == nullptr ? frame.data.extent(1) : frame.trajectory->samples();
    if (planned.samples() != samples ||
        (length > 0 && planned.readout_length > 0 && length != planned.readout_length)) {
      throw ShapeError(
          fmt::format("'{}': a frame of {} samples in readouts of {}, but the data have {} in readouts of {}", source,
                      planned.samples(), planned.readout_length, samples, length));
    }
    frame.weights = nullptr;
    trajectories.attach(
        frame, {clone(ctx, planned.points.ref()), planned.readout_length > 0 ? planned.readout_length : length}, {});
  }
  scan.notes.insert(scan.notes.end(), plan.notes.begin(), plan.notes.end());
  scan.notes.emplace_back(fmt::format("The positions of the samples are those of '{}'.", source));
  trajectories.finish(ctx, scan, {{scan.matrix, {}}, ratio, {}, TrajectoryUnit::cycles_per_pixel});
  scan.trajectory_unit = plan.trajectory_unit;
  scan.trajectory_kind = plan.trajectory_kind;
  if (plan.dwell_us > 0) {
    scan.dwell_us = plan.dwell_us;
    scan.readout_start_us = plan.readout_start_us;
  }
}

}  // namespace whorl::io
