#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/array_axes.hpp"
#include "io/convert/layouts.hpp"
#include "io/format.hpp"
#include "io/labeled_array.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Pool = std::vector<NamedArray>;

/// Arrays of all inputs, and their descriptions in the same order.
struct Inputs {
  Pool arrays;
  std::vector<ArrayInfo> infos;
  std::vector<std::string> faults;  // of arrays that can not be read
};

bool is_real(const AnyArray& array) {
  const auto* values = std::get_if<Array<std::complex<float>>>(&array);
  if (values == nullptr) return !is_complex(array);
  return std::all_of(values->span().begin(), values->span().end(),
                     [](std::complex<float> value) { return value.imag() == 0; });
}

AxisOrder order_of(const Format& format) {
  if (format.name == "cfl") return AxisOrder::bart;
  return format.first_axis_is_fastest ? AxisOrder::first_fastest : AxisOrder::last_fastest;
}

Inputs read_inputs(const Context& ctx, const std::vector<std::filesystem::path>& paths) {
  Inputs inputs;
  for (const std::filesystem::path& path : paths) {
    const Format* format = recognize(read_start(path));
    for (NamedArray& array : read_arrays(ctx, path)) {
      if (!array.fault.empty()) {
        inputs.faults.push_back(std::move(array.fault));
        continue;
      }
      const Shape& shape = shape_of(array.values);
      ArrayInfo info{array.name,
                     {std::make_reverse_iterator(shape.end()), std::make_reverse_iterator(shape.begin())},
                     is_complex(array.values),
                     order_of(*format)};
      // BART has complex numbers only.
      if (info.order == AxisOrder::bart && is_real(array.values)) info.is_complex = false;
      const bool repeated = std::any_of(inputs.infos.begin(), inputs.infos.end(),
                                        [&](const ArrayInfo& other) { return other.name == info.name; });
      if (repeated)
        throw ValueError(fmt::format("{}: two arrays of the inputs have the name {}", path.string(), info.name));
      inputs.infos.push_back(std::move(info));
      inputs.arrays.push_back(std::move(array));
    }
  }
  return inputs;
}

std::vector<std::string> split(const std::string& names) {
  std::vector<std::string> parts;
  for (std::size_t first = 0; first <= names.size();) {
    const std::size_t end = std::min(names.find(',', first), names.size());
    parts.push_back(names.substr(first, end - first));
    first = end + 1;
  }
  return parts;
}

/// Joins one array per axis (kx, ky, kz) into a trajectory with the axis dim last, which is the slowest.
void join_components(const Context& ctx, const std::vector<std::string>& names, Inputs& inputs) {
  std::vector<Array<double>> components;
  ArrayInfo info;
  for (const std::string& name : names) {
    const auto found = std::find_if(inputs.infos.begin(), inputs.infos.end(),
                                    [&](const ArrayInfo& candidate) { return candidate.name == name; });
    if (found == inputs.infos.end()) throw ValueError(fmt::format("convert: no array {} for the trajectory", name));
    if (!components.empty() && found->extents != info.extents) {
      throw ShapeError(fmt::format("convert: {} has extents {}, {} has {}", name, fmt::join(found->extents, " x "),
                                   names.front(), fmt::join(info.extents, " x ")));
    }
    info = *found;
    const auto at = static_cast<std::size_t>(found - inputs.infos.begin());
    check_finite(inputs.arrays[at].values, name);
    components.push_back(converted<double>(ctx, inputs.arrays[at].values, name));
  }
  const auto count = static_cast<Index>(components.size());
  Array<double> joined(ctx, components.front().shape().with_front(count));
  for (Index i = 0; i < count; ++i) copy<double>(components[static_cast<std::size_t>(i)], joined.slice(i));
  info.name = fmt::format("{}", fmt::join(names, ","));
  info.extents.push_back(count);
  inputs.infos.push_back(info);
  inputs.arrays.push_back({info.name, std::move(joined)});
}

bool has_all(const Inputs& inputs, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(inputs.infos.begin(), inputs.infos.end(),
                       [&](const ArrayInfo& info) { return info.name == name; });
  });
}

/// Finds what the names do not state: components of the trajectory, and the roles of a BART pair.
ConvertOptions complete(const Context& ctx, ConvertOptions options, Inputs& inputs, int dim) {
  std::vector<std::string> components;
  if (options.trajectory_variable.find(',') != std::string::npos) components = split(options.trajectory_variable);
  const std::vector<std::string> usual =
      dim == 3 ? std::vector<std::string>{"kx", "ky", "kz"} : std::vector<std::string>{"kx", "ky"};
  if (options.trajectory_variable.empty() && has_all(inputs, usual)) components = usual;
  if (!components.empty()) {
    join_components(ctx, components, inputs);
    options.trajectory_variable = inputs.infos.back().name;
  }
  // A trajectory of BART has 3 along its first dimension, data 1.
  const bool pair = inputs.infos.size() == 2 && options.trajectory_variable.empty() && options.data_variable.empty() &&
                    std::all_of(inputs.infos.begin(), inputs.infos.end(),
                                [](const ArrayInfo& info) { return info.order == AxisOrder::bart; });
  if (pair && (inputs.infos[0].extents[0] == 3) != (inputs.infos[1].extents[0] == 3)) {
    const std::size_t trajectory = inputs.infos[0].extents[0] == 3 ? 0 : 1;
    options.trajectory_variable = inputs.infos[trajectory].name;
    options.data_variable = inputs.infos[1 - trajectory].name;
  }
  return options;
}

LabeledArray load(const Context& ctx, const Inputs& inputs, const ArrayInfo& info, const std::vector<std::string>& axes,
                  const std::string& file) {
  const auto found = std::find_if(inputs.arrays.begin(), inputs.arrays.end(),
                                  [&](const NamedArray& array) { return array.name == info.name; });
  const std::string source = fmt::format("{}: {}", file, info.name);
  check_finite(found->values, source);
  return {source, info.extents, axes, converted<std::complex<double>>(ctx, found->values, source)};
}

/// The extents of `part` must be those of the data, or 1 along the axes in which images are counted.
void check_same_extents(const LabeledArray& data, const LabeledArray& part) {
  for (const char* axis : {"readout", "shot"}) {
    if (part.extent(axis) != data.extent(axis)) {
      throw ShapeError(
          fmt::format("{}: {} along {}, the data has {}; name the axes by the options "
                      "data-axes and trajectory-axes",
                      part.source(), part.extent(axis), axis, data.extent(axis)));
    }
  }
  for (const char* axis : frame_axes) {
    if (part.extent(axis) != 1 && part.extent(axis) != data.extent(axis)) {
      throw ShapeError(fmt::format("{}: {} along {}, expected 1 or the data's {}", part.source(), part.extent(axis),
                                   axis, data.extent(axis)));
    }
  }
}

std::array<int, frame_axes.size()> counters(const FrameIndex& index) {
  return {index.slice, index.contrast, index.phase, index.repetition, index.set};
}

/// The index of the first element of a frame.
Index frame_offset(const LabeledArray& array, const FrameIndex& index) {
  Index offset = 0;
  for (std::size_t i = 0; i < frame_axes.size(); ++i) offset += counters(index)[i] * array.stride(frame_axes[i]);
  return offset;
}

/// Calls `take(sample, value)` for all samples of a frame, readout by readout.
template <class Take>
void for_samples(const LabeledArray& array, Index offset, Index readouts, Index length, Take take) {
  for (Index shot = 0; shot < readouts; ++shot) {
    for (Index i = 0; i < length; ++i) {
      const Index place = offset + shot * array.stride("shot") + i * array.stride("readout");
      take(shot * length + i, array.values()[static_cast<std::size_t>(place)]);
    }
  }
}

std::vector<FrameIndex> frames_of(const LabeledArray& data) {
  std::vector<FrameIndex> frames;
  std::array<int, frame_axes.size()> many{};
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<int>(data.extent(frame_axes[i]));
  for (int slice = 0; slice < many[0]; ++slice) {
    for (int contrast = 0; contrast < many[1]; ++contrast) {
      for (int phase = 0; phase < many[2]; ++phase) {
        for (int repetition = 0; repetition < many[3]; ++repetition) {
          for (int set = 0; set < many[4]; ++set) frames.push_back({slice, contrast, phase, repetition, set});
        }
      }
    }
  }
  return frames;
}

/// Dimensions of the trajectory (its dim axis, or 2 for kx + i ky) must be those of the matrix.
void check_trajectory_dimensions(const ArrayInfo& variable, const LabeledArray& trajectory, int dim) {
  const auto stored = variable.is_complex && !trajectory.has("dim") ? 2 : static_cast<int>(trajectory.extent("dim"));
  if (variable.is_complex && trajectory.has("dim")) {
    throw ValueError(
        fmt::format("{}: it is complex (kx + i ky) and has an axis dim; expected one of both", trajectory.source()));
  }
  // A third dimension that is zero everywhere does not count; another must also be in the image.
  bool flat = stored == 3 && dim == 2;
  for (Index i = 2 * trajectory.stride("dim"); flat && i < static_cast<Index>(trajectory.values().size()); ++i) {
    const bool third = i / trajectory.stride("dim") % trajectory.extent("dim") == 2;
    flat = !third || trajectory.values()[static_cast<std::size_t>(i)] == 0.0;
  }
  if (stored != dim && !flat) {
    throw ValueError(
        fmt::format("{}: a trajectory of {} dimensions, but the matrix has {}; correct the matrix, or "
                    "the option trajectory-axes",
                    trajectory.source(), stored, dim));
  }
}

}  // namespace

void convert_arrays(const Context& ctx, const std::vector<std::filesystem::path>& paths, const ConvertOptions& stated,
                    Scan& scan, TrajectorySet& trajectories) {
  Inputs inputs = read_inputs(ctx, paths);
  ConvertOptions options;
  ScanLayout layout;
  try {
    options = complete(ctx, stated, inputs, scan.dim());
    layout = find_scan_layout(inputs.infos, options, scan.source);
  } catch (const ValueError& error) {
    if (inputs.faults.empty()) throw;
    throw ValueError(fmt::format("{}; not readable: {}", error.what(), fmt::join(inputs.faults, "; ")));
  }
  const LabeledArray data = load(ctx, inputs, layout.data, layout.data_axes, scan.source);
  const LabeledArray positions = load(ctx, inputs, layout.trajectory, layout.trajectory_axes, scan.source);
  check_same_extents(data, positions);
  std::vector<LabeledArray> weights;
  if (!layout.weights.name.empty()) {
    weights.push_back(load(ctx, inputs, layout.weights, layout.weight_axes, scan.source));
    check_same_extents(data, weights.front());
  }
  const int dim = scan.dim();
  check_trajectory_dimensions(layout.trajectory, positions, dim);
  const bool complex_plane = layout.trajectory.is_complex;
  const Index length = data.extent("readout");
  const Index shots = data.extent("shot");
  // [sample, dim] does not say where one readout ends.
  const bool samples_only = layout.trajectory.order == AxisOrder::last_fastest && layout.trajectory.extents.size() == 2;
  const Index readout_length = readout_length_of(options, length * shots, samples_only ? 0 : length, scan.source);
  scan.coils = data.extent("coil");
  scan.notes.push_back(fmt::format("Arrays: data {} with axes {}; trajectory {} with axes {}{}; weights {}.",
                                   layout.data.name, fmt::join(layout.data_axes, ","), layout.trajectory.name,
                                   fmt::join(layout.trajectory_axes, ","), complex_plane ? " (kx + i ky)" : "",
                                   layout.weights.name.empty() ? "none" : layout.weights.name));

  for (const FrameIndex& index : frames_of(data)) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = index;
    frame.data = Array<std::complex<float>>(ctx, {scan.coils, length * shots});
    for (Index coil = 0; coil < scan.coils; ++coil) {
      std::complex<float>* to = frame.data.data() + coil * length * shots;
      for_samples(data, frame_offset(data, index) + coil * data.stride("coil"), shots, length,
                  [&](Index sample, std::complex<double> value) { to[sample] = std::complex<float>(value); });
    }
    Trajectory trajectory{Array<double>(ctx, {length * shots, dim}), readout_length};
    const auto k = trajectory.points.view<2>();
    for (int axis = 0; axis < dim; ++axis) {
      for_samples(positions, frame_offset(positions, index) + axis * positions.stride("dim"), shots, length,
                  [&](Index sample, std::complex<double> value) {
                    k(sample, axis) = complex_plane && axis == 1 ? value.imag() : value.real();
                  });
    }
    Array<float> density;
    if (!weights.empty()) {
      density = Array<float>(ctx, {length * shots});
      for_samples(weights.front(), frame_offset(weights.front(), index), shots, length,
                  [&](Index sample, std::complex<double> value) {
                    if (value.real() < 0 || value.imag() != 0) {
                      throw ValueError(fmt::format("{}: weight of sample {} is {} + {}i, expected a real number >= 0",
                                                   weights.front().source(), sample, value.real(), value.imag()));
                    }
                    density.data()[sample] = static_cast<float>(value.real());
                  });
    }
    trajectories.attach(frame, std::move(trajectory), std::move(density));
  }
}

}  // namespace whorl::io
