#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "io/convert/layouts.hpp"
#include "io/convert/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;

constexpr std::array<const char*, 3> grid_axes{"x", "y", "z"};

/// Whether the user says that the samples lie on a grid.
bool states_grid(const ConvertOptions& options) {
  return options.trajectory_kind == "cartesian" ||
         std::any_of(options.data_axes.begin(), options.data_axes.end(),
                     [](const std::string& name) { return name == "x" || name == "y" || name == "z"; });
}

[[noreturn]] void refuse_without_trajectory(const ArrayInfo& data, const std::string& file) {
  throw ValueError(
      fmt::format("{}: no trajectory for the data {}; name the array with the positions by the option trajectory, or, "
                  "if the samples lie on a grid, state the kind cartesian",
                  file, describe(data)));
}

/// x, y(, z), coil in the order of memory, along the extents other than 1; BART's dimensions have their meaning.
Names guess_grid_axes(const ArrayInfo& data, const ConvertOptions& options, const std::string& file) {
  if (data.order == AxisOrder::bart) {
    Names axes = bart_axes(data, "x", file);
    // A slice across one of the three is an image of the other two.
    std::size_t next = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, axes.size()); ++i) {
      axes[i] = data.extents[i] == 1 ? fmt::format("unit {}", i) : grid_axes[next++];
    }
    return axes;
  }
  const auto many = std::count_if(data.extents.begin(), data.extents.end(), [](Index extent) { return extent != 1; });
  Names meaning{"x", "y", "coil"};
  if (options.matrix[2] > 1) meaning.insert(meaning.begin() + 2, "z");
  if (many < 2 || many > static_cast<Index>(meaning.size())) {
    if (!states_grid(options)) refuse_without_trajectory(data, file);
    throw ValueError(fmt::format("{}: Cartesian data {} have {} axes, expected {}; name them by the option data-axes",
                                 file, describe(data), many, fmt::join(meaning, ", ")));
  }
  Names axes;
  std::size_t next = 0;
  for (const Index extent : data.extents)
    axes.push_back(extent == 1 ? fmt::format("unit {}", axes.size()) : meaning[next++]);
  return axes;
}

/// The samples of a frame that were measured, and their places on the grid.
struct Measured {
  std::vector<std::array<Index, 3>> places;
  Index readout_length = 0;  ///< along x; 0: lines differ
};

Measured measured_samples(const LabeledArray& data, Index offset, const std::array<Index, 3>& grid) {
  Measured measured;
  const auto is_measured = [&](Index place) {
    for (Index coil = 0; coil < data.extent("coil"); ++coil) {
      if (data.values()[static_cast<std::size_t>(place + coil * data.stride("coil"))] != 0.0) return true;
    }
    return false;
  };
  std::array<Index, 2> common{-1, -1};  // the first and last sample of all lines
  bool alike = true;
  for (Index z = 0; z < grid[2]; ++z) {
    for (Index y = 0; y < grid[1]; ++y) {
      std::array<Index, 2> line{-1, -1};
      const std::size_t before = measured.places.size();
      for (Index x = 0; x < grid[0]; ++x) {
        if (!is_measured(offset + x * data.stride("x") + y * data.stride("y") + z * data.stride("z"))) continue;
        measured.places.push_back({x, y, z});
        if (line[0] < 0) line[0] = x;
        line[1] = x;
      }
      const auto count = static_cast<Index>(measured.places.size() - before);
      if (count == 0) continue;
      if (common[0] < 0) common = line;
      alike = alike && line == common && count == line[1] - line[0] + 1;
    }
  }
  if (alike && common[0] >= 0) measured.readout_length = common[1] - common[0] + 1;
  return measured;
}

/// Where the image has more pixels than k-space has samples, these are finer; where it has fewer, the field of view of
/// the data is larger (oversampling) and the image is its middle.
Trajectory positions_of(const Context& ctx, const Measured& measured, const std::array<Index, 3>& grid,
                        const Scan& scan) {
  Trajectory trajectory{Array<double>(ctx, {static_cast<Index>(measured.places.size()), scan.dim()}),
                        measured.readout_length};
  const auto k = trajectory.points.view<2>();
  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
      const Index steps = measured.places[static_cast<std::size_t>(sample)][axis] - grid[axis] / 2;
      k(sample, static_cast<Index>(axis)) =
          static_cast<double>(steps) / static_cast<double>(std::max(grid[axis], scan.matrix[axis]));
    }
  }
  return trajectory;
}

}  // namespace

void convert_cartesian(const Context& ctx, const ArrayInputs& inputs, const ArrayInfo& info, ConvertOptions& options,
                       Scan& scan, TrajectorySet& trajectories) {
  const bool stated = states_grid(options);
  const bool open = options.trajectory_kind == "other" && options.data_axes.empty();
  if (!stated && !open) refuse_without_trajectory(info, scan.source);
  check_axis_names(options.data_axes, {"x", "y", "z", "coil"}, "Cartesian data");
  const Names axes = options.data_axes.empty() ? guess_grid_axes(info, options, scan.source)
                                               : fastest_first(options.data_axes, info.order);
  const LabeledArray data = load(ctx, inputs, info, axes, scan.source);
  const std::array<Index, 3> grid{data.extent("x"), data.extent("y"), data.extent("z")};
  // Data count as a Cartesian grid if the user says so, or if the matrix is not given or has the data's own extents.
  const bool fits = options.matrix == std::array<Index, 3>{} || options.matrix == grid;
  if (!stated && !fits) refuse_without_trajectory(info, scan.source);
  if (options.matrix == std::array<Index, 3>{}) options.matrix = grid;
  check_matrix(options);
  scan.matrix = options.matrix;
  if (scan.dim() == 2 && grid[2] > 1) {
    throw ShapeError(fmt::format("{}: {} samples along z, but the matrix has two dimensions", data.source(), grid[2]));
  }
  scan.trajectory_kind = "cartesian";
  scan.coils = data.extent("coil");
  Index kept = 0;
  for (const FrameIndex& index : frames_of(data)) {
    const Index offset = frame_offset(data, index);
    const Measured measured = measured_samples(data, offset, grid);
    const auto samples = static_cast<Index>(measured.places.size());
    if (samples == 0) {
      throw ValueError(fmt::format("{}: all samples of a frame are 0, so none was measured", data.source()));
    }
    kept += samples;
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = index;
    frame.data = Array<std::complex<float>>(ctx, {scan.coils, samples});
    for (Index coil = 0; coil < scan.coils; ++coil) {
      for (Index sample = 0; sample < samples; ++sample) {
        const auto& [x, y, z] = measured.places[static_cast<std::size_t>(sample)];
        const Index place =
            offset + coil * data.stride("coil") + x * data.stride("x") + y * data.stride("y") + z * data.stride("z");
        frame.data.data()[coil * samples + sample] =
            std::complex<float>(data.values()[static_cast<std::size_t>(place)]);
      }
    }
    trajectories.attach(frame, positions_of(ctx, measured, grid, scan), {});
  }
  const Index all = grid[0] * grid[1] * grid[2] * static_cast<Index>(scan.frames.size());
  scan.notes.push_back(fmt::format(
      "Cartesian data {} with axes {}, k = 0 at index N/2; {} of {} samples are not 0 and count as measured.",
      info.name, fmt::join(axes, ","), kept, all));
}

}  // namespace whorl::io
