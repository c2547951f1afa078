#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/hdf5/arrays.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/plan.hpp"
#include "io/ismrmrd/positions.hpp"
#include "io/scans/replace_trajectory.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {

namespace {

using io::AcquisitionHead;
using io::AcquisitionPlan;
using io::Destination;

using Samples = std::span<const std::complex<float>>;

void check_samples(const std::filesystem::path& path, Index number, const AcquisitionHead& head, Samples data,
                   std::span<const float> trajectory) {
  const auto finite = [](std::complex<float> value) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  };
  const auto bad = std::find_if_not(data.begin(), data.end(), finite);
  if (bad != data.end()) {
    const Index place = bad - data.begin();
    throw IoError(fmt::format("{}: acquisition {}: sample {} of channel {} is {} + {}i; every sample must be finite",
                              path.string(), number, place % head.number_of_samples, place / head.number_of_samples,
                              bad->real(), bad->imag()));
  }
  const auto bad_position =
      std::find_if_not(trajectory.begin(), trajectory.end(), [](float value) { return std::isfinite(value); });
  if (bad_position != trajectory.end()) {
    const Index place = bad_position - trajectory.begin();
    throw IoError(
        fmt::format("{}: acquisition {}: trajectory column {} of sample {} is {}; every position must be "
                    "finite",
                    path.string(), number, place % head.trajectory_dimensions + 1, place / head.trajectory_dimensions,
                    *bad_position));
  }
}

/// Copies the kept samples of an acquisition into [coil, sample] at `offset`.
void place_samples(const AcquisitionHead& head, Samples data, Array<std::complex<float>>& to, Index offset) {
  const Index length = to.extent(1);
  for (Index coil = 0; coil < to.extent(0); ++coil) {
    const auto from = data.subspan(static_cast<std::size_t>(coil * head.number_of_samples + head.discard_pre),
                                   static_cast<std::size_t>(head.kept()));
    std::copy(from.begin(), from.end(), to.data() + coil * length + offset);
  }
}

Geometry geometry_of(const AcquisitionHead& head, const std::array<double, 3>& field_of_view, bool& replaced) {
  Geometry geometry;
  geometry.field_of_view_mm = field_of_view;
  const auto take = [](const std::array<float, 3>& from, std::array<double, 3>& to) {
    std::copy(from.begin(), from.end(), to.begin());
    return std::hypot(to[0], to[1], to[2]);
  };
  take(head.position, geometry.position_mm);
  Geometry turned = geometry;
  bool usable = std::all_of(geometry.position_mm.begin(), geometry.position_mm.end(),
                            [](double value) { return std::isfinite(value); });
  if (!usable) geometry.position_mm = {0, 0, 0};
  for (const auto& [from, to] :
       {std::pair{&head.read_dir, &turned.read_direction}, std::pair{&head.phase_dir, &turned.phase_direction},
        std::pair{&head.slice_dir, &turned.slice_direction}}) {
    const double norm = take(*from, *to);
    // Directions are cosines: only a rounding away from length 1.
    usable = usable && norm > 0.5 && norm < 2;
    if (std::abs(norm - 1) > 1e-5) {
      for (double& component : *to) component /= norm;
    }
  }
  const auto& r = turned.read_direction;
  const auto& p = turned.phase_direction;
  const auto& s = turned.slice_direction;
  const double volume =
      r[0] * (p[1] * s[2] - p[2] * s[1]) - r[1] * (p[0] * s[2] - p[2] * s[0]) + r[2] * (p[0] * s[1] - p[1] * s[0]);
  if (usable && std::abs(volume) > 0.5) return turned;
  replaced = true;
  return geometry;
}

/// Reads samples and trajectories to their places. Returns the trajectory of every frame as stored [sample, column].
std::vector<Array<float>> read_samples(const Context& ctx, const io::IsmrmrdFile& file,
                                       const std::vector<AcquisitionHead>& heads, const AcquisitionPlan& plan,
                                       const std::vector<bool>& with_data, const ScanReadOptions& options, Scan& scan) {
  Index samples = 0;
  for (std::size_t frame = 0; frame < plan.frames.size(); ++frame) {
    if (with_data[frame]) samples += plan.frames[frame].samples;
  }
  const Index all_bytes = plan.coils * samples * static_cast<Index>(sizeof(std::complex<float>));
  const auto make = [&](const Shape& data) {
    return options.data_memory ? options.data_memory(data, all_bytes) : Array<std::complex<float>>(ctx, data);
  };
  std::vector<Array<float>> stored;
  for (std::size_t frame = 0; frame < plan.frames.size(); ++frame) {
    stored.emplace_back(ctx, Shape{plan.frames[frame].samples * plan.trajectory_dimensions});
    scan.frames[frame].data = make({plan.coils, with_data[frame] ? plan.frames[frame].samples : 0});
  }
  if (plan.noise_samples > 0) scan.noise = Array<std::complex<float>>(ctx, {plan.coils, plan.noise_samples});
  const auto wanted = [&](Index number) {
    const Destination& to = plan.destinations[static_cast<std::size_t>(number)];
    return to.kind == Destination::Kind::noise || (to.kind == Destination::Kind::frame && with_data[to.frame]);
  };
  file.read_acquisitions(ctx, heads, wanted, [&](Index number, std::span<const float> trajectory, Samples data) {
    const AcquisitionHead& head = heads[static_cast<std::size_t>(number)];
    const Destination& to = plan.destinations[static_cast<std::size_t>(number)];
    if (to.kind == Destination::Kind::skipped) return;
    check_samples(scan.source, number, head, data, trajectory);
    if (to.kind == Destination::Kind::noise) {
      place_samples(head, data, scan.noise, to.offset);
      return;
    }
    if (with_data[to.frame]) place_samples(head, data, scan.frames[to.frame].data, to.offset);
    const Index columns = plan.trajectory_dimensions;
    const auto kept = trajectory.subspan(static_cast<std::size_t>(head.discard_pre * columns),
                                         static_cast<std::size_t>(head.kept() * columns));
    std::copy(kept.begin(), kept.end(), stored[to.frame].data() + to.offset * columns);
  });
  return stored;
}

void describe_frames(const std::vector<AcquisitionHead>& heads, const AcquisitionPlan& plan,
                     const std::array<double, 3>& field_of_view, Scan& scan) {
  bool replaced = false;
  for (const io::FramePlan& frame : plan.frames) {
    const AcquisitionHead& first = heads[static_cast<std::size_t>(frame.acquisitions.front())];
    ScanFrame& made = scan.frames.emplace_back();
    made.index = frame.index;
    made.geometry = geometry_of(first, field_of_view, replaced);
  }
  if (replaced) {
    scan.notes.emplace_back(
        "Position or directions of the acquisitions are missing or not those of a volume: read, phase and slice were "
        "taken along x, y and z of the patient.");
  }
}

/// Sample time, and time of the first sample of a readout that is kept, from that of its center sample. A center between
/// two samples is rounded to either of them, so readouts count as alike that differ by one.
void read_times(const std::vector<AcquisitionHead>& heads, const AcquisitionPlan& plan, Scan& scan) {
  const auto head_of = [&](Index number) -> const AcquisitionHead& { return heads[static_cast<std::size_t>(number)]; };
  const auto start_of = [](const AcquisitionHead& head) { return Index{head.discard_pre} - head.center_sample; };
  const AcquisitionHead& first = head_of(plan.frames.front().acquisitions.front());
  if (!std::isfinite(first.sample_time_us)) return;
  scan.dwell_us = first.sample_time_us;
  scan.readout_start_us = static_cast<double>(start_of(first)) * scan.dwell_us;
  for (const io::FramePlan& frame : plan.frames) {
    if (frame.readout_length == 0) {  // pieces of readouts have no common start
      scan.readout_start_us = 0;
      return;
    }
    for (const Index number : frame.acquisitions) {
      const AcquisitionHead& head = head_of(number);
      if (head.sample_time_us == first.sample_time_us && std::abs(start_of(head) - start_of(first)) <= 1 &&
          head.center_sample < head.number_of_samples) {
        continue;
      }
      scan.readout_start_us = std::numeric_limits<double>::quiet_NaN();
      return;
    }
  }
}

/// The maps that write_ismrmrd stored beside the acquisitions; no elements if there are none.
Array<std::complex<float>> read_coil_maps(const Context& ctx, const std::filesystem::path& path,
                                          const std::string& group, const Scan& scan) {
  const io::Hdf5File file(path);
  const std::string name = group + "/" + io::coil_maps_variable;
  if (!file.has(name)) return {};
  const NamedArray stored = file.read(ctx, name);
  check_finite(stored.values, fmt::format("{}: {}", path.string(), name));
  auto maps = converted<std::complex<float>>(ctx, stored.values, name);
  const Shape expected{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  if (maps.shape() != expected.with_front(1)) {
    throw IoError(fmt::format("{}: {} has shape {}, expected {}", path.string(), name, to_string(maps.shape()),
                              to_string(expected.with_front(1))));
  }
  maps.reshape(expected);
  return maps;
}

void append(std::vector<std::string>& notes, const std::vector<std::string>& more) {
  notes.insert(notes.end(), more.begin(), more.end());
}

}  // namespace

Scan read_ismrmrd(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options) {
  const io::IsmrmrdFile file(path, options.group);
  const io::EncodingHeader header = io::parse_header(file.read_xml(), options.encoding, path.string());
  const std::vector<AcquisitionHead> heads = file.read_heads();
  const AcquisitionPlan plan = io::plan_acquisitions(heads, options.encoding, path.string());

  Scan scan;
  scan.source = path.string();
  scan.system = header.system;
  scan.matrix = header.matrix;
  scan.coils = plan.coils;
  scan.trajectory_kind = header.trajectory_kind;
  scan.noise_dwell_us = plan.noise_dwell_us;
  scan.readout_interval_ms = header.repetition_time_ms;
  if (!file.group_note().empty()) scan.notes.push_back(file.group_note());
  append(scan.notes, header.notes);
  append(scan.notes, plan.notes);
  describe_frames(heads, plan, header.field_of_view_mm, scan);
  read_times(heads, plan, scan);
  std::vector<FrameIndex> indices;
  for (const io::FramePlan& frame : plan.frames) indices.push_back(frame.index);
  const std::vector<bool> with_data =
      options.frames_with_data ? options.frames_with_data(indices) : std::vector<bool>(indices.size(), true);
  std::vector<Array<float>> stored = read_samples(ctx, file, heads, plan, with_data, options, scan);

  scan.coil_maps = read_coil_maps(ctx, path, file.group(), scan);
  if (!options.trajectory_from.empty()) {
    for (std::size_t i = 0; i < plan.frames.size(); ++i) {
      scan.frames[i].trajectory = std::make_shared<const Trajectory>(Trajectory{{}, plan.frames[i].readout_length});
    }
    io::replace_trajectory(ctx, scan, options.trajectory_from);
    return scan;
  }
  const io::PositionRule rule =
      io::choose_positions(header, plan, heads, stored, options.trajectory_columns, scan.source, scan.notes);
  io::TrajectorySet trajectories;
  for (std::size_t i = 0; i < plan.frames.size(); ++i) {
    Trajectory trajectory{io::make_positions(ctx, rule, header, plan.frames[i], heads, stored[i]),
                          plan.frames[i].readout_length};
    trajectories.attach(scan.frames[i], std::move(trajectory),
                        io::make_weights(ctx, rule, plan.frames[i], stored[i], scan.source));
  }
  const TrajectoryUnit unit =
      options.trajectory_unit == TrajectoryUnit::automatic ? header.unit : options.trajectory_unit;
  trajectories.finish(ctx, scan, {header.encoded, header.pixel_ratio, rule.counted, unit});
  return scan;
}

}  // namespace whorl
