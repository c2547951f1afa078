#include "whorl/io/calibration.hpp"

#include <ismrmrd/ismrmrd.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "io/format.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/ismrmrd/places/calibration_lines.hpp"
#include "io/ismrmrd/places/counters.hpp"
#include "io/ismrmrd/places/positions.hpp"
#include "io/ismrmrd/samples.hpp"
#include "io/ismrmrd/spaces.hpp"
#include "io/scans/trajectory_set.hpp"

namespace whorl {

namespace {

bool is_calibrating(const io::AcquisitionHead& head) {
  return head.flag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION) ||
         head.flag(ISMRMRD::ISMRMRD_ACQ_IS_PARALLEL_CALIBRATION_AND_IMAGING);
}

}  // namespace

Scan io::read_calibration(const Context& ctx, Measurement measurement, const ScanReadOptions& options) {
  Scan scan;
  scan.source = measurement.name;
  if (std::ranges::none_of(measurement.heads, &is_calibrating)) return scan;
  EncodingHeader header = parse_header(measurement.header, options.encoding, scan.source);
  if (options.kind == CountedKind::cartesian) header.trajectory_kind = "cartesian";
  AcquisitionPlan plan = settled_plan(ctx, measurement, options, header);
  std::vector<FramePlan> frames = settle_calibration(ctx, measurement, header, options, plan);
  if (frames.empty()) return scan;
  const auto first = static_cast<std::size_t>(plan.frames.front().acquisitions.front());
  const Index image_length = measurement.heads[first].number_of_samples;
  PositionRule rule;
  {
    const SortedFile image{*measurement.source, measurement.heads, plan, scan.source};
    settle_spaces(ctx, image, options, header);
    rule = choose_positions(ctx, image, header, {}, options, scan.notes);
  }
  std::ranges::replace_if(
      plan.destinations, [](const Destination& to) { return to.kind == Destination::Kind::frame; }, Destination{});
  plan.frames = std::move(frames);
  place_frames(plan, measurement.heads);
  settle_calibration_centers(ctx, {*measurement.source, measurement.heads, plan, scan.source}, image_length, header,
                             rule.centers);
  scan.matrix = header.matrix;
  scan.coils = plan.coils;
  scan.trajectory_kind = header.trajectory_kind;
  for (const FramePlan& frame : plan.frames) {
    ScanFrame& made = scan.frames.emplace_back();
    made.index = frame.index;
    made.geometry.field_of_view_mm = header.field_of_view_mm;
  }
  const SampleReader samples(measurement.source, std::move(measurement.heads), std::move(plan), scan.source, {});
  const auto stored = samples.read(ctx, std::vector(scan.frames.size(), FrameRead::all), scan);
  TrajectorySet trajectories;
  for (std::size_t i = 0; i < scan.frames.size(); ++i) {
    const FramePlan& frame = samples.plan().frames[i];
    trajectories.attach(scan.frames[i],
                        {make_positions(ctx, rule, header, frame, samples.heads(), stored[i]), frame.readout_length},
                        {});
  }
  trajectories.finish(ctx, scan, {header.encoded, header.pixel_ratio, rule.counted, header.unit, {}});
  return scan;
}

Scan read_calibration(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options) {
  const io::Format* const format = io::recognize(io::read_start(path));
  if (format == nullptr || format->name != "ismrmrd" || !options.trajectory_from.empty()) return {};
  const auto file = std::make_shared<const io::IsmrmrdFile>(path, options.group);
  Scan scan = io::read_calibration(ctx, {path.string(), file->read_xml(), file->read_heads(), file}, options);
  if (!scan.frames.empty()) apply_image_center(scan, options.center);
  return scan;
}

}  // namespace whorl
