#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/convert/complex_parts.hpp"
#include "io/convert/file_facts.hpp"
#include "io/convert/joined_inputs.hpp"
#include "io/convert/layouts.hpp"
#include "io/convert/readouts.hpp"
#include "io/scans/replace_trajectory.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// The data among the arrays: by name, or the only complex one.
ArrayInfo find_data(const ArrayInputs& inputs, ConvertOptions options, const std::string& file) {
  options.trajectory_variable.clear();
  options.weights_variable = "none";
  options.trajectory_kind = "cartesian";  // no positions are needed
  const ArrayRoles roles = find_roles(inputs.infos, options, file);
  if (!roles.data.name.empty()) return roles.data;
  throw ValueError(fmt::format("{}: no array in it can be the data; name it by the option data", file));
}

Index samples_of(const Scan& plan) {
  Index samples = 0;
  for (const ScanFrame& frame : plan.frames) samples += frame.trajectory->samples();
  return samples;
}

/// Axes of the data that fit the readouts of a trajectory, or its samples: those of a frame, or of all.
std::vector<std::string> data_axes(const ArrayInfo& data, const ConvertOptions& options, const Scan& plan,
                                   const std::string& file) {
  check_axis_names(options.data_axes, {"readout", "shot", "partition", "coil"}, "data");
  if (!options.data_axes.empty()) return fastest_first(options.data_axes, data.order);
  const Trajectory& first = *plan.frames.front().trajectory;
  for (const Index samples : {first.samples(), samples_of(plan)}) {
    const Index length = first.readout_length > 0 ? first.readout_length : samples;
    for (const std::vector<Index>& extents :
         {std::vector<Index>{length, samples / length}, std::vector<Index>{samples}}) {
      ArrayRoles roles{data, {"trajectory", extents, true, AxisOrder::first_fastest}, {}};
      split_readouts(roles);
      if (const auto names = find_axes(roles.trajectory, data)) return names->data;
    }
  }
  if (data.order == AxisOrder::bart) return bart_axes(data, "unit 0", file);
  throw ShapeError(
      fmt::format("{}: data {} for a trajectory of {} samples in readouts of {}; say what the axes are by data-axes",
                  file, describe(data), first.samples(), first.readout_length));
}

}  // namespace

void convert_data(const Context& ctx, const std::vector<std::filesystem::path>& paths, ConvertOptions& options,
                  Scan& scan) {
  ArrayInputs inputs = read_inputs(ctx, paths, options);
  join_stated_parts(ctx, inputs, options, scan.source);
  ArrayRoles roles;
  roles.data = find_data(inputs, options, scan.source);
  settle_parts(ctx, inputs, roles, options, scan.source, scan.notes);
  const ArrayInfo& info = roles.data;
  if (!info.made.empty()) scan.notes.emplace_back(info.made.substr(0, info.made.size() - 1));
  use_file_facts(ctx, inputs, false, options, scan.notes);
  use_echo_times(ctx, inputs, options, scan.notes);
  const PlannedPositions planned = read_trajectory(ctx, options.trajectory_from, options);
  const Scan& plan = planned.scan;
  if (options.matrix == std::array<Index, 3>{}) options.matrix = plan.matrix;
  if (options.field_of_view_mm == std::array<double, 3>{}) {
    options.field_of_view_mm = plan.frames.front().geometry.field_of_view_mm;
  }
  check_matrix(options);
  scan.matrix = options.matrix;
  scan.dwell_us = options.dwell_us;
  const std::vector<std::string> axes = data_axes(info, options, plan, scan.source);
  const LabeledArray data = load(ctx, inputs, info, axes, scan.source);
  const ArrayReadouts readouts = readouts_of(data);
  scan.coils = data.extent("coil");
  scan.notes.emplace_back(fmt::format("Arrays: data {} with axes {}.", info.name, fmt::join(axes, ",")));
  // Their number is known, their positions are not.
  const auto open = std::make_shared<const Trajectory>(
      Trajectory{Array<double>(ctx, {readouts.samples(), 0}), readouts.shots > 1 ? readouts.length : 0});
  for (const FrameIndex& index : frames_of(data)) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = index;
    frame.geometry.field_of_view_mm = options.field_of_view_mm;
    frame.trajectory = open;
    frame.data = read_samples(ctx, data, index, readouts);
  }
  const std::string kind = scan.trajectory_kind;
  deal_out_frames(ctx, scan, planned);
  replace_trajectory(ctx, scan, plan);
  if (kind != "other") scan.trajectory_kind = kind;
}

}  // namespace whorl::io
