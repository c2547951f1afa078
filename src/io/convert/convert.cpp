#include "whorl/io/convert.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/convert/file_facts.hpp"
#include "io/convert/joined_inputs.hpp"
#include "io/convert/layouts.hpp"
#include "io/format.hpp"
#include "io/hdf5/challenge.hpp"
#include "io/scans/trajectory_kind.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl {

namespace {

void check_kind(const ConvertOptions& options) {
  const bool known = std::any_of(io::trajectory_kinds.begin(), io::trajectory_kinds.end(),
                                 [&](const auto& kind) { return kind.name == options.trajectory_kind; });
  if (!known) {
    throw ValueError(
        fmt::format("convert: trajectory kind \"{}\" is not known; use cartesian, epi, radial, "
                    "goldenangle, spiral or other",
                    options.trajectory_kind));
  }
}

}  // namespace

void io::check_matrix(const ConvertOptions& options) {
  const auto& matrix = options.matrix;
  if (matrix == std::array<Index, 3>{}) {
    throw ValueError(
        "convert: the matrix is not in the files; give the image's pixels by --matrix NX NY, in 3D NX NY NZ");
  }
  if (matrix[0] < 2 || matrix[1] < 2 || matrix[2] < 1) {
    throw ValueError(
        fmt::format("convert: the matrix is {} x {} x {}; give the image's pixels by --matrix NX NY, in 3D NX NY NZ",
                    matrix[0], matrix[1], matrix[2]));
  }
}

Scan convert_scan(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& stated) {
  if (inputs.empty()) throw ValueError("convert: no input file was given");
  const io::Format* format = io::recognize(io::read_start(inputs.front()));
  if (inputs.size() == 1 && format != nullptr && format->name == "challenge") {
    Scan scan = io::read_challenge(ctx, inputs.front(), stated);
    apply_image_center(scan, stated.center);
    return scan;
  }
  ConvertOptions options = stated;
  check_kind(options);
  const bool arrays = format != nullptr && format->name != "pulseq";
  if (!arrays || options.matrix != std::array<Index, 3>{}) io::check_matrix(options);
  if (inputs.size() == 1 && format != nullptr && format->name == "pulseq") {
    Scan scan = read_pulseq(ctx, inputs.front(), {options.matrix, options.field_of_view_mm});
    scan.trajectory_kind = options.trajectory_kind;
    return scan;
  }
  Scan scan;
  scan.source = inputs.front().string();
  scan.matrix = options.matrix;
  scan.trajectory_kind = options.trajectory_kind;
  io::TrajectorySet trajectories;
  std::array<bool, 3> counted{};
  if (arrays && !options.trajectory_from.empty()) {
    io::convert_data(ctx, inputs, options, scan);
    io::set_echo_times(scan, options.echo_times_ms, stated);
    apply_image_center(scan, options.center);
    return scan;
  }
  if (arrays) {
    counted = io::convert_arrays(ctx, inputs, options, scan, trajectories);
  } else {
    io::convert_raw(ctx, inputs, options, scan, trajectories);
  }
  scan.dwell_us = options.dwell_us;
  io::set_echo_times(scan, options.echo_times_ms, stated);
  for (ScanFrame& frame : scan.frames) frame.geometry.field_of_view_mm = options.field_of_view_mm;
  trajectories.finish(ctx, scan,
                      {{options.matrix, options.field_of_view_mm}, {1, 1, 1}, counted, options.trajectory_unit});
  apply_image_center(scan, options.center);
  return scan;
}

bool holds_k_space(const Context& ctx, const std::vector<std::filesystem::path>& inputs) {
  try {
    return io::are_k_space(io::read_inputs(ctx, inputs).infos);
  } catch (const ValueError&) {
    return false;  // several arrays of one name, or several that may be the data
  }
}

}  // namespace whorl
