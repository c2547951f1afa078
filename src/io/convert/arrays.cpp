#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <complex>
#include <iterator>

#include "io/convert/complex_parts.hpp"
#include "io/convert/file_facts.hpp"
#include "io/convert/joined_inputs.hpp"
#include "io/convert/layouts.hpp"
#include "io/convert/readout_order.hpp"
#include "io/convert/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// The extents of `part` must be those of the data, or 1 along the axes in which images are counted and partitions.
void check_same_extents(const LabeledArray& data, const LabeledArray& part) {
  for (const char* axis : {"readout", "shot"}) {
    if (part.extent(axis) != data.extent(axis)) {
      throw ShapeError(
          fmt::format("{}: {} along {}, the data has {}; name the axes by the options "
                      "data-axes and trajectory-axes",
                      part.source(), part.extent(axis), axis, data.extent(axis)));
    }
  }
  std::vector<const char*> repeated(frame_axes.begin(), frame_axes.end());
  repeated.push_back("partition");
  for (const char* axis : repeated) {
    if (part.extent(axis) != 1 && part.extent(axis) != data.extent(axis)) {
      throw ShapeError(fmt::format("{}: {} along {}, expected 1 or the data's {}", part.source(), part.extent(axis),
                                   axis, data.extent(axis)));
    }
  }
}

/// Whether a number of one row (x, y or z) is one of those that `is_wanted` tells.
bool has_number(const LabeledArray& trajectory, Index row, bool (*is_wanted)(double)) {
  for (Index i = 0; i < static_cast<Index>(trajectory.values().size()); ++i) {
    const bool there = i / trajectory.stride("dim") % trajectory.extent("dim") == row;
    if (there && is_wanted(trajectory.values()[static_cast<std::size_t>(i)].real())) return true;
  }
  return false;
}

bool is_zero(const LabeledArray& trajectory, Index row) {
  return !has_number(trajectory, row, [](double value) { return value != 0; });
}

bool has_negative(const LabeledArray& trajectory, Index row) {
  return has_number(trajectory, row, [](double value) { return value < 0; });
}

/// Where the positions along x, y and z come from.
struct PositionSource {
  std::vector<Index> rows;  ///< of the trajectory, for x, y(, z)
  bool counted_kz = false;  ///< kz follows from the partition
};

/// A trajectory of fewer dimensions than it has rows, because the others are zero: rows that count; all if there is no
/// choice.
std::vector<Index> rows_in_plane(const LabeledArray& trajectory) {
  for (const Index row : {2, 0, 1}) {
    if (!is_zero(trajectory, row)) continue;
    std::vector<Index> rows{0, 1, 2};
    rows.erase(rows.begin() + row);
    return rows;
  }
  return {0, 1, 2};
}

/// Dimensions of the trajectory (its dim axis, or 2 for kx + i ky) must be those of the matrix. A row that is zero
/// everywhere does not count in 2D; in 3D, partitions of the data give the third.
PositionSource position_source(const ArrayInfo& variable, const LabeledArray& trajectory, Index partitions, int dim) {
  if (variable.is_complex && trajectory.has("dim")) {
    throw ValueError(
        fmt::format("{}: it is complex (kx + i ky) and has an axis dim; expected one of both", trajectory.source()));
  }
  const auto stored = variable.is_complex ? Index{2} : trajectory.extent("dim");
  std::vector<Index> rows{0, 1, 2};
  rows.resize(static_cast<std::size_t>(std::clamp<Index>(stored, 0, 3)));
  // Without an axis of partitions the positions do not change from one to the next.
  const bool counted = dim == 3 && partitions > 1 && trajectory.extent("partition") == 1;
  if (stored == 3 && (dim == 2 || counted)) rows = rows_in_plane(trajectory);
  if (counted && rows.size() == 3) {
    throw ValueError(
        fmt::format("{}: it says kz but is the same for all {} partitions of the data; name its axis of partitions by "
                    "trajectory-axes, or give kx and ky alone",
                    trajectory.source(), partitions));
  }
  const bool counted_kz = rows.size() == 2 && dim == 3 && partitions > 1;
  if (static_cast<int>(rows.size()) + (counted_kz ? 1 : 0) != dim || stored > 3) {
    const bool may_be_weights = stored == 3 && dim == 2 && !has_negative(trajectory, 2);
    throw ValueError(fmt::format(
        "{}: a trajectory of {} dimensions, but the matrix has {}; correct the matrix, or "
        "the option trajectory-axes{}",
        trajectory.source(), stored, dim,
        may_be_weights ? "; if the third are density weights, save them as an array weights of their own" : ""));
  }
  return {std::move(rows), counted_kz};
}

Trajectory make_trajectory(const Context& ctx, const LabeledArray& positions, const FrameIndex& index,
                           const ArrayReadouts& readouts, const PositionSource& source, const Scan& scan,
                           bool complex) {
  Trajectory trajectory{Array<double>(ctx, {readouts.samples(), scan.dim()}), 0};
  const auto k = trajectory.points.view<2>();
  for (std::size_t axis = 0; axis < source.rows.size(); ++axis) {
    const Index row = source.rows[axis];
    for_samples(positions, frame_offset(positions, index) + row * positions.stride("dim"), readouts,
                [&](Index sample, std::complex<double> value) {
                  k(sample, static_cast<Index>(axis)) = complex && axis == 1 ? value.imag() : value.real();
                });
  }
  if (source.counted_kz) {
    // Steps of one over the field of view, which has at least as many pixels as there are partitions.
    const auto pixels = static_cast<double>(std::max(readouts.partitions, scan.matrix[2]));
    const Index per_partition = readouts.length * readouts.shots;
    for (Index sample = 0; sample < readouts.samples(); ++sample) {
      const Index from_center = sample / per_partition - readouts.partitions / 2;
      k(sample, 2) = static_cast<double>(from_center) / pixels;
    }
  }
  return trajectory;
}

Array<float> make_weights(const Context& ctx, const LabeledArray& weights, const FrameIndex& index,
                          const ArrayReadouts& readouts) {
  Array<float> density(ctx, {readouts.samples()});
  for_samples(weights, frame_offset(weights, index), readouts, [&](Index sample, std::complex<double> value) {
    if (value.real() < 0 || value.imag() != 0) {
      throw ValueError(fmt::format("{}: weight of sample {} is {} + {}i, expected a real number >= 0", weights.source(),
                                   sample, value.real(), value.imag()));
    }
    density.data()[sample] = static_cast<float>(value.real());
  });
  return density;
}

std::string describe_layout(const ScanLayout& layout, const PositionSource& source) {
  const ArrayRoles& arrays = layout.arrays;
  const std::string data = arrays.data.name.empty() ? "no data"
                                                    : fmt::format("data {} with axes {}", arrays.data.name,
                                                                  fmt::join(layout.data_axes, ","));
  return fmt::format("Arrays: {}; trajectory {} with axes {}{}{}; weights {}.", data, arrays.trajectory.name,
                     fmt::join(layout.trajectory_axes, ","), arrays.trajectory.is_complex ? " (kx + i ky)" : "",
                     source.counted_kz ? ", kz by the partition" : "",
                     arrays.weights.name.empty() ? "none" : arrays.weights.name);
}

/// Swaps the names of readouts and shots, where there are both.
void swap_readouts(std::vector<std::string>& axes) {
  const auto readout = std::ranges::find(axes, "readout");
  const auto shot = std::ranges::find(axes, "shot");
  if (readout != axes.end() && shot != axes.end()) std::iter_swap(readout, shot);
}

/// Swaps readouts and shots, of which there are as many, of the array that has them in the other order. Both arrays have the same
/// extents.
void settle_readout_order(const Context& ctx, const ArrayInputs& inputs, ScanLayout& layout, LabeledArray& data,
                          LabeledArray& positions, Scan& scan) {
  const ReadoutOrder order = readout_order(data, positions, layout.arrays.trajectory.is_complex);
  if (order == ReadoutOrder::same) return;
  const bool of_data = order == ReadoutOrder::data_swapped;
  std::vector<std::string>& axes = of_data ? layout.data_axes : layout.trajectory_axes;
  swap_readouts(axes);
  (of_data ? data : positions) =
      load(ctx, inputs, of_data ? layout.arrays.data : layout.arrays.trajectory, axes, scan.source);
  if (!of_data) swap_readouts(layout.weight_axes);
  scan.notes.emplace_back(
      fmt::format("There are {} readouts and as many samples in each: those of the {} were taken in the other order, "
                  "in which the signal is near the center of k-space.",
                  data.extent("shot"), of_data ? "data" : "trajectory"),
      NoteKind::doubt);
}

/// The roles; `named` gets the options with the names of what was joined. Where one is missing, what could not be read or joined may be it.
ArrayRoles named_roles(const Context& ctx, const ConvertOptions& options, ArrayInputs& inputs, const std::string& file,
                       ConvertOptions& named) {
  ArrayRoles roles;
  std::string missing = file;
  try {
    named = join_inputs(ctx, options, inputs);
    roles = find_roles(inputs.infos, named, file);
  } catch (const ValueError& error) {
    if (inputs.faults.empty() && inputs.unjoined.empty()) throw;
    if (!inputs.faults.empty()) missing = fmt::format("{}; not readable", error.what());
  }
  const bool has_all = !roles.trajectory.name.empty() && (!roles.data.name.empty() || named.data_variable == "none");
  const bool is_left_out = !inputs.unjoined.empty() && !has_all;
  if (missing == file && !is_left_out) return roles;
  std::vector<std::string> reasons = inputs.faults;
  reasons.insert(reasons.end(), inputs.unjoined.begin(), inputs.unjoined.end());
  throw ValueError(fmt::format("{}: {}", missing, fmt::join(reasons, "; ")));
}

/// Throws ValueError for complex numbers without data beside them that are k-space and no positions kx + i ky: the largest |k|^2
/// is 3 times the mean for spokes, 2 for spirals, 7 for readouts that grow with the cube of time.
void check_positions(const LabeledArray& positions, const ArrayInfo& info) {
  constexpr double most = 20;
  double largest = 0;
  double sum = 0;
  for (const std::complex<double> value : positions.values()) {
    largest = std::max(largest, std::norm(value));
    sum += std::norm(value);
  }
  if (largest * static_cast<double>(positions.values().size()) <= most * sum) return;
  throw ValueError(
      fmt::format("{}: it was taken for positions kx + i ky by its name, but a few of its numbers are far larger than "
                  "the others, as in k-space; name it by the option data, or, if it is a trajectory, by trajectory. {}",
                  positions.source(), how_to_place(info)));
}

}  // namespace

std::array<bool, 3> convert_arrays(const Context& ctx, const std::vector<std::filesystem::path>& paths,
                                   ConvertOptions& options, Scan& scan, TrajectorySet& trajectories) {
  ArrayInputs inputs = read_inputs(ctx, paths, options);
  ConvertOptions named;
  ArrayRoles roles = named_roles(ctx, options, inputs, scan.source, named);
  settle_parts(ctx, inputs, roles, named, scan.source, scan.notes);
  for (const std::string& made : {roles.data.made, roles.trajectory.made}) {
    if (!made.empty()) scan.notes.emplace_back(made.substr(0, made.size() - 1));
  }
  use_echo_times(ctx, inputs, options, scan.notes);
  if (roles.trajectory.name.empty()) {
    use_file_facts(ctx, inputs, false, options, scan.notes);
    options.data_axes = named.data_axes;
    convert_cartesian(ctx, inputs, roles.data, options, scan, trajectories);
    return {true, true, true};
  }
  if (named.data_axes.empty() && named.trajectory_axes.empty()) split_readouts(roles);
  ScanLayout layout = find_scan_layout(roles, named, std::ssize(options.echo_times_ms), scan.source);
  LabeledArray positions = load(ctx, inputs, roles.trajectory, layout.trajectory_axes, scan.source);
  std::optional<LabeledArray> data;
  if (!roles.data.name.empty()) data = load(ctx, inputs, roles.data, layout.data_axes, scan.source);
  if (!data && roles.trajectory.is_complex && options.trajectory_variable.empty()) {
    check_positions(positions, roles.trajectory);
  }
  const LabeledArray& counted = data ? *data : positions;
  check_same_extents(counted, positions);
  if (data && named.data_axes.empty() && named.trajectory_axes.empty()) {
    settle_readout_order(ctx, inputs, layout, *data, positions, scan);
  }
  const bool is_3d = positions.extent("dim") == 3 && rows_in_plane(positions).size() == 3;
  use_file_facts(ctx, inputs, is_3d, options, scan.notes);
  check_matrix(options);
  scan.matrix = options.matrix;
  std::optional<LabeledArray> weights;
  if (!roles.weights.name.empty()) {
    weights = load(ctx, inputs, roles.weights, layout.weight_axes, scan.source);
    check_same_extents(counted, *weights);
  }
  const ArrayReadouts readouts = readouts_of(counted);
  const PositionSource source = position_source(roles.trajectory, positions, readouts.partitions, scan.dim());
  // [sample, dim] does not say where one readout ends.
  const bool samples_only = roles.trajectory.order == AxisOrder::last_fastest && readouts.shots == 1 &&
                            roles.trajectory.extents.size() - roles.trajectory.element_axes == 2;
  const Index readout_length =
      readout_length_of(options, readouts.samples(), samples_only ? 0 : readouts.length, scan.source);
  scan.coils = data ? data->extent("coil") : 0;
  scan.notes.emplace_back(describe_layout(layout, source));
  if (!layout.doubt.empty()) scan.notes.emplace_back(layout.doubt, NoteKind::doubt);
  const bool guessed = named.data_axes.empty() && named.echo_times_ms.empty();
  if (data && guessed && data->has("contrast") && !data->has("coil")) {
    scan.notes.emplace_back(
        fmt::format("The axis of {} of the data was taken for contrasts, since the file has as many echo times; if it "
                    "holds coils, name the axes by the option data-axes.",
                    data->extent("contrast")),
        NoteKind::doubt);
  }
  for (const FrameIndex& index : frames_of(counted)) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = index;
    frame.data =
        data ? read_samples(ctx, *data, index, readouts) : Array<std::complex<float>>(ctx, {0, readouts.samples()});
    Trajectory trajectory = make_trajectory(ctx, positions, index, readouts, source, scan, roles.trajectory.is_complex);
    trajectory.readout_length = readout_length;
    trajectories.attach(frame, std::move(trajectory),
                        weights ? make_weights(ctx, *weights, index, readouts) : Array<float>());
  }
  return {false, false, source.counted_kz};
}

}  // namespace whorl::io
