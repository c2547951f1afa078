#include <fmt/format.h>
#include <fmt/ranges.h>

#include "io/convert_layouts.hpp"
#include "io/labeled_array.hpp"
#include "io/matlab_axes.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

LabeledArray load(const std::filesystem::path& path, const MatlabVariable& variable,
                  const std::vector<std::string>& axes) {
  LabeledArray array(fmt::format("{}: variable {}", path.string(), variable.name), variable.extents, axes,
                     read_matlab_variable(path, variable));
  for (std::size_t i = 0; i < array.values().size(); ++i) {
    check_finite(array.values()[i], array.source(), static_cast<Index>(i));
  }
  return array;
}

/// The extents of `part` must be those of the data, or 1 along the axes in which images are counted.
void check_same_extents(const LabeledArray& data, const LabeledArray& part) {
  for (const char* axis : {"readout", "shot"}) {
    if (part.extent(axis) != data.extent(axis)) {
      throw ShapeError(
          fmt::format("{}: {} along {}, the data has {}; name the axes with --data-axes and "
                      "--trajectory-axes",
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

/// Where the first element of a frame lies.
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
void check_trajectory_dimensions(const MatlabVariable& variable, const LabeledArray& trajectory, int dim) {
  const auto stored = variable.is_complex && !trajectory.has("dim") ? 2 : static_cast<int>(trajectory.extent("dim"));
  if (variable.is_complex && trajectory.has("dim")) {
    throw ValueError(
        fmt::format("{}: it is complex (kx + i ky) and has an axis dim; expected one of both", trajectory.source()));
  }
  // A third dimension that is zero everywhere is no dimension; else it must be in the image too.
  bool flat = stored == 3 && dim == 2;
  for (Index i = 2 * trajectory.stride("dim"); flat && i < static_cast<Index>(trajectory.values().size()); ++i) {
    const bool third = i / trajectory.stride("dim") % trajectory.extent("dim") == 2;
    flat = !third || trajectory.values()[static_cast<std::size_t>(i)] == 0.0;
  }
  if (stored != dim && !flat) {
    throw ValueError(
        fmt::format("{}: a trajectory of {} dimensions, but the matrix has {}; correct --matrix or "
                    "--trajectory-axes",
                    trajectory.source(), stored, dim));
  }
}

}  // namespace

void convert_matlab(const Context& ctx, const std::filesystem::path& input, const ConvertOptions& options, Scan& scan,
                    TrajectorySet& trajectories) {
  const MatlabLayout layout = find_matlab_layout(list_matlab_variables(input), options, scan.source);
  const LabeledArray data = load(input, layout.data, layout.data_axes);
  const LabeledArray positions = load(input, layout.trajectory, layout.trajectory_axes);
  check_same_extents(data, positions);
  std::vector<LabeledArray> weights;
  if (!layout.weights.name.empty()) {
    weights.push_back(load(input, layout.weights, layout.weight_axes));
    check_same_extents(data, weights.front());
  }
  const int dim = scan.dim();
  check_trajectory_dimensions(layout.trajectory, positions, dim);
  const bool complex_plane = layout.trajectory.is_complex;
  const Index length = data.extent("readout");
  const Index shots = data.extent("shot");
  const Index readout_length = readout_length_of(options, length * shots, length, scan.source);
  scan.coils = data.extent("coil");
  scan.notes.push_back(fmt::format("MATLAB: data {} with axes {}; trajectory {} with axes {}{}; weights {}.",
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
