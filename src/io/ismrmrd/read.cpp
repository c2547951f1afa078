#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "io/hdf5/arrays.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/places/calibration_lines.hpp"
#include "io/ismrmrd/places/compare_lines.hpp"
#include "io/ismrmrd/places/counters.hpp"
#include "io/ismrmrd/places/positions.hpp"
#include "io/ismrmrd/plan.hpp"
#include "io/ismrmrd/samples.hpp"
#include "io/ismrmrd/spaces.hpp"
#include "io/scans/replace_trajectory.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/ismrmrd.hpp"

namespace whorl {

namespace {

using io::AcquisitionHead;
using io::AcquisitionPlan;

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
        "taken along x, y and z of the patient.",
        NoteKind::doubt);
  }
}

/// Says where readouts of one image lie in several places: slices whose counter is missing, most often.
void note_places(const std::vector<AcquisitionHead>& heads, const AcquisitionPlan& plan, Scan& scan) {
  constexpr double least_mm = 1;  // beyond what follows a patient's breath from readout to readout
  double apart = 0;
  for (const io::FramePlan& frame : plan.frames) {
    const auto& first = heads[static_cast<std::size_t>(frame.acquisitions.front())].position;
    for (const Index number : frame.acquisitions) {
      const auto& here = heads[static_cast<std::size_t>(number)].position;
      double square = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) square += std::pow(double{here[axis]} - double{first[axis]}, 2);
      apart = std::max(apart, std::sqrt(square));
    }
  }
  if (!(apart > least_mm)) return;
  scan.notes.emplace_back(
      fmt::format("Readouts of one image lie up to {:.4g} mm apart. If they are slices, idx.slice has to count them.",
                  apart),
      NoteKind::doubt);
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

/// The frames of the image readouts, in the order of the file.
std::vector<FrameIndex> frames_in_order(const AcquisitionPlan& plan) {
  std::vector<FrameIndex> frames;
  for (const io::Destination& to : plan.destinations) {
    if (to.kind == io::Destination::Kind::frame) frames.push_back(plan.frames[to.frame].index);
  }
  return frames;
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

void append(Notes& notes, const Notes& more) { notes.insert(notes.end(), more.begin(), more.end()); }

}  // namespace

struct io::SettledReading {
  EncodingHeader header;
  PositionRule rule;
};

Scan io::read_measurement(const Context& ctx, Measurement measurement, const ScanReadOptions& options,
                          std::shared_ptr<const SettledReading>* settled) {
  const std::string source = measurement.name;
  const bool is_settled = settled != nullptr && *settled != nullptr;
  io::EncodingHeader header =
      is_settled ? (*settled)->header : io::parse_header(measurement.header, options.encoding, source);
  if (options.kind == CountedKind::cartesian) header.trajectory_kind = "cartesian";
  AcquisitionPlan planned = io::settled_plan(ctx, measurement, options, header, settled == nullptr);
  static_cast<void>(io::settle_calibration(ctx, measurement, header, options, planned));
  const auto samples = std::make_shared<const io::SampleReader>(measurement.source, std::move(measurement.heads),
                                                                std::move(planned), source, options.data_memory);
  const std::vector<AcquisitionHead>& heads = samples->heads();
  const AcquisitionPlan& plan = samples->plan();
  const io::SortedFile sorted{*measurement.source, heads, plan, source};
  if (!is_settled) io::settle_spaces(ctx, sorted, options, header);

  Scan scan;
  scan.source = source;
  scan.system = header.system;
  scan.matrix = header.matrix;
  scan.coils = plan.coils;
  scan.trajectory_kind = header.trajectory_kind;
  scan.noise_dwell_us = plan.noise_dwell_us;
  scan.readout_interval_ms = header.repetition_time_ms;
  scan.echo_times_ms = header.echo_times_ms;
  if (!measurement.note.empty()) scan.notes.emplace_back(std::move(measurement.note));
  append(scan.notes, header.notes);
  append(scan.notes, plan.notes);
  describe_frames(heads, plan, header.field_of_view_mm, scan);
  note_places(heads, plan, scan);
  read_times(heads, plan, scan);
  std::vector<FrameRead> parts(plan.frames.size(), options.later == nullptr ? FrameRead::all : FrameRead::positions);
  if (options.frames_to_read) parts = options.frames_to_read(scan);
  const std::vector<Array<float>> stored = samples->read(ctx, parts, scan);
  if (options.later != nullptr) {
    *options.later = [samples](const Context& host, std::span<const Index> frames) {
      return samples->read_data(host, frames);
    };
  }

  if (measurement.coil_maps) scan.coil_maps = measurement.coil_maps(scan);
  if (!options.trajectory_from.empty()) {
    for (std::size_t i = 0; i < plan.frames.size(); ++i) {
      // Their number is known, their positions are not.
      scan.frames[i].trajectory = std::make_shared<const Trajectory>(
          Trajectory{Array<double>(ctx, {plan.frames[i].samples, 0}), plan.frames[i].readout_length});
    }
    io::replace_trajectory(ctx, scan, options, frames_in_order(plan));
    return scan;
  }
  if (settled == nullptr && plan.trajectory_dimensions == 0 && !io::is_spokes(options.kind)) {
    io::note_unlike_readouts(ctx, sorted, header, scan.notes);
  }
  const io::PositionRule rule =
      is_settled ? (*settled)->rule : io::choose_positions(ctx, sorted, header, stored, options, scan.notes);
  if (settled != nullptr && !is_settled)
    *settled = std::make_shared<const SettledReading>(SettledReading{header, rule});
  io::TrajectorySet trajectories;
  for (std::size_t i = 0; i < plan.frames.size(); ++i) {
    if (parts[i] == FrameRead::nothing && plan.trajectory_dimensions > 0) {
      trajectories.attach(scan.frames[i], {Array<double>(ctx, {0, scan.dim()}), plan.frames[i].readout_length}, {});
      continue;
    }
    Trajectory trajectory{io::make_positions(ctx, rule, header, plan.frames[i], heads, stored[i]),
                          plan.frames[i].readout_length};
    trajectories.attach(scan.frames[i], std::move(trajectory),
                        io::make_weights(ctx, rule, plan.frames[i], stored[i], scan.source));
  }
  const TrajectoryUnit unit =
      options.trajectory_unit == TrajectoryUnit::automatic ? header.unit : options.trajectory_unit;
  trajectories.finish(ctx, scan, {header.encoded, header.pixel_ratio, rule.counted, unit, options.largest_of_all});
  return scan;
}

Scan read_ismrmrd(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options) {
  const auto file = std::make_shared<const io::IsmrmrdFile>(path, options.group);
  io::Measurement measurement{path.string(), file->read_xml(), file->read_heads(), file, file->group_note()};
  if (options.facts != nullptr) *options.facts = io::parse_facts(measurement.header, measurement.name);
  measurement.coil_maps = [&](const Scan& scan) { return read_coil_maps(ctx, path, file->group(), scan); };
  return io::read_measurement(ctx, std::move(measurement), options);
}

}  // namespace whorl
