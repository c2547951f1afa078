#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "io/convert/layouts.hpp"
#include "io/convert/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Names = std::vector<std::string>;

constexpr std::array<const char*, 3> grid_axes{"x", "y", "z"};

/// Whether the user says that the samples lie on a grid.
bool states_grid(const ConvertOptions& options) {
  return options.trajectory_kind == "cartesian" || states_grid_axes(options);
}

[[noreturn]] void refuse_without_trajectory(const ArrayInfo& data, const std::string& file) {
  throw ValueError(fmt::format("{}: no trajectory for the data {}. {}", file, data.name, how_to_place(data)));
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

/// Where k = 0 lies along an axis of the data.
struct GridAxis {
  Index extent = 1;
  Index origin = 0;
  bool wraps = false;  ///< k = 0 at index 0, negative k after the positive one, as the FFT of most programs has it

  Index steps(Index place) const {
    if (!wraps) return place - origin;
    return place <= (extent - 1) / 2 ? place : place - extent;
  }
};

/// Energy of the data by their place along an axis.
std::vector<double> energy_along(const LabeledArray& data, const std::string& axis) {
  const Index stride = data.stride(axis);
  const Index extent = data.extent(axis);
  std::vector<double> energy(static_cast<std::size_t>(extent));
  for (std::size_t i = 0; stride > 0 && i < data.values().size(); ++i) {
    energy[static_cast<std::size_t>(static_cast<Index>(i) / stride % extent)] += std::norm(data.values()[i]);
  }
  return energy;
}

/// The largest energy along an axis over its mean: above 10 where an echo is, nearly 1 for coils and spokes.
double peak_along(const LabeledArray& data, const std::string& axis) {
  const std::vector<double> energy = energy_along(data, axis);
  const double sum = std::accumulate(energy.begin(), energy.end(), 0.0);
  return sum > 0 ? *std::max_element(energy.begin(), energy.end()) * static_cast<double>(energy.size()) / sum : 1;
}

/// Whether the axis that counts as x rather is the coils: far shorter than that of the coils, and without the echo that
/// the latter has.
bool coils_are_fastest(const LabeledArray& data) {
  return data.has("coil") && 2 * data.extent("x") <= data.extent("coil") &&
         peak_along(data, "x") < peak_along(data, "coil");
}

/// Whether the echo is largest in the middle line and falls off to both sides, as in a few central lines of a grid. All spokes
/// and arms pass k = 0, where they are equally strong.
bool falls_off(const LabeledArray& data, const std::string& along, const std::string& lines) {
  constexpr double less = 0.9;
  const std::vector<double> energy = energy_along(data, along);
  const Index echo = std::max_element(energy.begin(), energy.end()) - energy.begin();
  const Index step = data.stride(along);
  const Index line_step = data.stride(lines);
  const Index count = data.extent(lines);
  std::vector<double> echoes(static_cast<std::size_t>(count));
  for (Index i = 0; i < std::ssize(data.values()); ++i) {
    if (i / step % std::ssize(energy) != echo) continue;
    echoes[static_cast<std::size_t>(i / line_step % count)] += std::norm(data.values()[static_cast<std::size_t>(i)]);
  }
  const auto middle = echoes.begin() + std::ssize(echoes) / 2;
  return std::is_sorted(echoes.begin(), middle + 1) && std::is_sorted(middle, echoes.end(), std::greater<>()) &&
         std::max(echoes.front(), echoes.back()) < less * *middle;
}

/// Whether each line along x or y has an echo, but all of them are equally strong: spokes or arms, which need a trajectory.
bool are_spokes(const LabeledArray& data) {
  constexpr Index least = 4;
  constexpr double flat = 2;
  constexpr double echo = 4;
  if (data.extent("x") < least || data.extent("y") < least) return false;
  const double along_x = peak_along(data, "x");
  const double along_y = peak_along(data, "y");
  if (std::min(along_x, along_y) >= flat || std::max(along_x, along_y) <= echo) return false;
  return along_x > along_y ? !falls_off(data, "x", "y") : !falls_off(data, "y", "x");
}

/// k = 0 at floor(N/2), unless the echo is clearly elsewhere: at index 0 with much on both sides of it, where the data wrap, or
/// at another place, where partial k-space was cut off. `pixels`: of the stated matrix, 0 without one.
GridAxis find_origin(const std::vector<double>& energy, Index pixels) {
  const auto extent = std::ssize(energy);
  GridAxis axis{extent, extent / 2};
  const auto at = [&](Index place) { return energy[static_cast<std::size_t>((place + extent) % extent)]; };
  const Index echo = std::max_element(energy.begin(), energy.end()) - energy.begin();
  // The energy of an object falls from the echo by orders of magnitude; that of noise and of test data does not.
  constexpr double clearly = 10;
  constexpr Index least = 8;
  const Index beside = std::max<Index>(2, extent / 16);
  if (extent < least || std::abs(echo - axis.origin) <= beside || at(echo) < clearly * at(axis.origin)) return axis;
  const double far = std::max(at(1), at(-1));
  if ((echo <= 1 || echo == extent - 1) && std::min(at(1), at(-1)) * clearly > far && extent >= pixels) {
    axis.wraps = true;
  } else if (pixels == 0 || pixels > extent) {
    axis.origin = echo;
    for (const Index place : {extent - pixels / 2, pixels / 2}) {
      if (pixels > 0 && std::abs(place - echo) <= 1) axis.origin = place;
    }
  }
  return axis;
}

/// Finds the origins of all axes and tells of those that are not in the middle; a matrix that is not stated becomes that of the grid, with
/// as much on both sides of k = 0 as on the longer one.
std::array<GridAxis, 3> find_origins(const LabeledArray& data, ConvertOptions& options, Notes& notes) {
  const bool open = options.matrix == std::array<Index, 3>{};
  std::array<GridAxis, 3> axes;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = find_origin(energy_along(data, grid_axes[i]), options.matrix[i]);
    const auto& [extent, origin, wraps] = axes[i];
    const bool cut = !wraps && origin != extent / 2;
    if (open) options.matrix[i] = cut ? 2 * std::max(origin, extent - origin) : extent;
    if (wraps) {
      notes.emplace_back(
          fmt::format("The echo is at index 0 along {}: k = 0 was taken there, and negative k from {} on.",
                      grid_axes[i], (extent + 1) / 2),
          NoteKind::doubt);
    } else if (cut) {
      notes.emplace_back(
          fmt::format("The echo is at index {} of {} along {}: k = 0 was taken there, in partial k-space of "
                      "{} steps{}.",
                      origin, extent, grid_axes[i], options.matrix[i],
                      open ? "; the option matrix states another number" : ""),
          NoteKind::doubt);
    }
  }
  return axes;
}

/// "N/2", or one for each axis.
std::string places_of_origin(const std::array<GridAxis, 3>& axes, int dim) {
  std::vector<std::string> places;
  bool middle = true;
  for (int i = 0; i < dim; ++i) {
    const GridAxis& axis = axes[static_cast<std::size_t>(i)];
    middle = middle && !axis.wraps && axis.origin == axis.extent / 2;
    places.push_back(fmt::format("{}", axis.wraps ? 0 : axis.origin));
  }
  return middle ? "N/2" : fmt::format("{}", fmt::join(places, ", "));
}

/// Where the image has more pixels than k-space has samples, these are finer; where it has fewer, the field of view of
/// the data is larger (oversampling) and the image is its middle.
Trajectory positions_of(const Context& ctx, const Measured& measured, const std::array<GridAxis, 3>& grid,
                        const Scan& scan) {
  Trajectory trajectory{Array<double>(ctx, {static_cast<Index>(measured.places.size()), scan.dim()}),
                        measured.readout_length};
  const auto k = trajectory.points.view<2>();
  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(scan.dim()); ++axis) {
      const Index steps = grid[axis].steps(measured.places[static_cast<std::size_t>(sample)][axis]);
      k(sample, static_cast<Index>(axis)) =
          static_cast<double>(steps) / static_cast<double>(std::max(grid[axis].extent, scan.matrix[axis]));
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
  Names axes = options.data_axes.empty() ? guess_grid_axes(info, options, scan.source)
                                         : fastest_first(options.data_axes, info.order);
  LabeledArray data = load(ctx, inputs, info, axes, scan.source);
  if (options.data_axes.empty() && info.order != AxisOrder::bart && coils_are_fastest(data)) {
    const auto coil = std::find(axes.begin(), axes.end(), "coil");
    std::rotate(std::find(axes.begin(), axes.end(), "x"), coil, coil + 1);
    data = load(ctx, inputs, info, axes, scan.source);
  }
  const std::array<Index, 3> grid{data.extent("x"), data.extent("y"), data.extent("z")};
  // Data count as a Cartesian grid if the user says so, or if the matrix is not given or has the data's own extents.
  const bool fits = (options.matrix == std::array<Index, 3>{} || options.matrix == grid) && !are_spokes(data);
  if (!stated && !fits) refuse_without_trajectory(info, scan.source);
  const std::array<GridAxis, 3> origins = find_origins(data, options, scan.notes);
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
    trajectories.attach(frame, positions_of(ctx, measured, origins, scan), {});
  }
  const Index all = grid[0] * grid[1] * grid[2] * static_cast<Index>(scan.frames.size());
  scan.notes.emplace_back(fmt::format(
      "Cartesian data {} with axes {}, k = 0 at index {}; {} of {} samples are not 0 and count as measured.", info.name,
      fmt::join(axes, ","), places_of_origin(origins, scan.dim()), kept, all));
}

}  // namespace whorl::io
