#include "io/cfl/scan_cfl.hpp"
#include "core/ask.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/cfl/cfl.hpp"
#include "io/scans/scan_arrays.hpp"
#include "io/scans/scan_header.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/atomic_file.hpp"

namespace whorl::io {

namespace {

namespace fs = std::filesystem;
using Complex = std::complex<float>;

constexpr std::size_t time_dimension = 10;

// What lies beside NAME.cfl.
constexpr const char* trajectory_suffix = "_traj";
constexpr const char* weights_suffix = "_weights";
constexpr const char* noise_suffix = "_noise";
constexpr const char* maps_suffix = "_maps";

/// "scan.cfl", "_traj" -> "scan_traj.cfl"
fs::path beside(const fs::path& path, const char* suffix) {
  fs::path name = path;
  name.replace_extension();
  name += suffix;
  name += ".cfl";
  return name;
}

std::vector<Index> with_frames(std::vector<Index> dimensions, Index frames) {
  if (frames > 1) {
    dimensions.resize(time_dimension, 1);
    dimensions.push_back(frames);
  }
  return dimensions;
}

/// Readouts and their length; one long readout if the length is unknown.
std::pair<Index, Index> readouts_of(const Trajectory& trajectory) {
  const Index length = trajectory.readout_length > 0 ? trajectory.readout_length : trajectory.samples();
  return {length, trajectory.samples() / length};
}

/// The common layout of the frames; throws if they do not fit into one array.
std::pair<Index, Index> common_readouts(const Scan& scan, const fs::path& path) {
  const auto first = readouts_of(*scan.frames.front().trajectory);
  for (const ScanFrame& frame : scan.frames) {
    if (readouts_of(*frame.trajectory) != first) {
      throw ShapeError(fmt::format(
          "writing '{}': the frames have different readouts, which one array of BART can not hold; write .npz "
          "or .h5",
          path.string()));
    }
  }
  return first;
}

/// [frame, sample, 3] in cycles per field of view; one frame where all share a trajectory.
Array<Complex> grid_positions(const Context& ctx, const Scan& scan, bool shared) {
  const Index frames = shared ? 1 : static_cast<Index>(scan.frames.size());
  const Index samples = scan.frames.front().trajectory->samples();
  Array<Complex> positions = zeros<Complex>(ctx, {frames, samples, 3});
  const auto to = positions.view<3>();
  for (Index frame = 0; frame < frames; ++frame) {
    const auto k = scan.frames[static_cast<std::size_t>(frame)].trajectory->points.view<2>();
    for (Index i = 0; i < samples; ++i) {
      detail::ask_at(ctx, i, "writing .cfl");
      for (int axis = 0; axis < scan.dim(); ++axis) {
        to(frame, i, axis) =
            static_cast<float>(k(i, axis) * static_cast<double>(scan.matrix[static_cast<std::size_t>(axis)]));
      }
    }
  }
  return positions;
}

Array<Complex> stacked_data(const Context& ctx, const Scan& scan) {
  const Shape& shape = scan.frames.front().data.shape();
  Array<Complex> data(ctx, shape.with_front(static_cast<Index>(scan.frames.size())));
  for (std::size_t i = 0; i < scan.frames.size(); ++i)
    copy<Complex>(scan.frames[i].data, data.slice(static_cast<Index>(i)));
  return data;
}

template <class Part>
bool all_share(const Scan& scan, Part part) {
  return std::all_of(scan.frames.begin(), scan.frames.end(),
                     [&](const ScanFrame& frame) { return part(frame) == part(scan.frames.front()); });
}

void write_weights(const Context& ctx, const Scan& scan, const fs::path& path, Index length, Index shots) {
  const bool shared = all_share(scan, [](const ScanFrame& frame) { return frame.weights; });
  if (shared && !scan.frames.front().weights) return;
  const Index frames = shared ? 1 : static_cast<Index>(scan.frames.size());
  Array<Complex> weights(ctx, {frames, length * shots});
  for (Index i = 0; i < frames; ++i) {
    const auto& from = scan.frames[static_cast<std::size_t>(i)].weights;
    if (!from) {
      throw ShapeError(fmt::format("writing '{}': all frames or none must have density weights", path.string()));
    }
    std::copy(from->span().begin(), from->span().end(), weights.data() + i * length * shots);
  }
  write_cfl(ctx, beside(path, weights_suffix), weights, with_frames({1, length, shots}, frames), {});
}

/// The array of a scan as [frame, n]; dimension 10 counts the frames.
Array<Complex> read_part(const Context& ctx, const fs::path& path, std::vector<Index>* dimensions = nullptr) {
  CflArray array = read_cfl(ctx, fs::path(path).replace_extension());
  const Index frames = array.dimensions.size() > time_dimension ? array.dimensions[time_dimension] : 1;
  if (dimensions != nullptr) *dimensions = array.dimensions;
  array.values.reshape({frames, array.values.size() / frames});
  return std::move(array.values);
}

/// [sample, dim] in cycles per pixel.
Array<double> positions_of(const Context& ctx, ArrayRef<const float> grid, const ScanHeader& header,
                           const std::string& source) {
  if (grid.size() % 3 != 0) {
    throw ShapeError(
        fmt::format("'{}': expected a trajectory [3, readout, shot], got {} numbers", source, grid.size()));
  }
  const Index samples = grid.size() / 3;
  const int dim = header.matrix[2] > 1 ? 3 : 2;
  Array<double> points(ctx, {samples, dim});
  const auto k = points.view<2>();
  for (Index i = 0; i < samples; ++i) {
    detail::ask_at(ctx, i, "reading .cfl");
    for (int axis = 0; axis < dim; ++axis) {
      k(i, axis) = static_cast<double>(grid.data()[3 * i + axis]) /
                   static_cast<double>(header.matrix[static_cast<std::size_t>(axis)]);
    }
  }
  return points;
}

/// The parts of one kind, as scan_from_arrays names them: those of the frames that use them first.
template <class Make>
void add_numbered(std::vector<NamedArray>& arrays, const char* name, Index count, Make make) {
  for (Index i = 0; i < count; ++i) {
    arrays.push_back({count == 1 ? std::string(name) : fmt::format("{}_{}", name, i), make(i)});
  }
}

}  // namespace

void write_scan_cfl(const Context& ctx, const Scan& scan, const fs::path& path) {
  check_scan(ctx, scan, path.string());
  const auto [length, shots] = common_readouts(scan, path);
  const bool shared = all_share(scan, [](const ScanFrame& frame) { return frame.trajectory; });
  const auto frames = static_cast<Index>(scan.frames.size());
  const std::string header = make_scan_header(scan);
  const fs::path trajectory_path = scan.coils > 0 ? beside(path, trajectory_suffix) : path;
  AtomicFileGroup together;
  write_weights(ctx, scan, path, length, shots);
  write_cfl(ctx, trajectory_path, grid_positions(ctx, scan, shared),
            with_frames({3, length, shots}, shared ? 1 : frames), scan.coils > 0 ? std::string() : header);
  if (scan.noise.size() > 0) {
    write_cfl(ctx, beside(path, noise_suffix), scan.noise, {1, scan.noise.extent(1), 1, scan.coils}, {});
  }
  if (scan.coil_maps.size() > 0) {
    const auto& matrix = scan.matrix;
    write_cfl(ctx, beside(path, maps_suffix), scan.coil_maps, {matrix[0], matrix[1], matrix[2], scan.coils}, {});
  }
  if (scan.coils > 0) {
    write_cfl(ctx, path, stacked_data(ctx, scan), with_frames({1, length, shots, scan.coils}, frames), header);
  }
  together.commit();
}

Scan read_scan_cfl(const Context& ctx, const fs::path& path) {
  const fs::path name = find_cfl(path);
  fs::path data_path = name;
  data_path += ".cfl";
  CflArray first = read_cfl(ctx, name);
  if (first.scan.empty()) {
    throw IoError(
        fmt::format("'{}': BART's files do not say what a scan needs (matrix, unit): convert data and trajectory "
                    "together, with the matrix, to a scan",
                    path.string()));
  }
  const ScanHeader header = parse_scan_header(first.scan, path.string());
  const auto frames = static_cast<Index>(header.frames.size());
  std::vector<NamedArray> arrays;
  Array<Complex> grid;
  if (header.coils == 0) {
    const Index parts = first.dimensions.size() > time_dimension ? first.dimensions[time_dimension] : 1;
    grid = std::move(first.values);
    grid.reshape({parts, grid.size() / parts});
  } else {
    const Index samples = first.values.size() / frames / header.coils;
    if (samples * frames * header.coils != first.values.size()) {
      throw ShapeError(fmt::format("'{}': {} samples do not divide into {} frames and {} coils", data_path.string(),
                                   first.values.size(), frames, header.coils));
    }
    first.values.reshape(frames > 1 ? Shape{frames, header.coils, samples} : Shape{header.coils, samples});
    arrays.push_back({"data", std::move(first.values)});
    grid = read_part(ctx, beside(data_path, trajectory_suffix));
  }
  const auto positions = converted<float>(ctx, AnyArray(std::move(grid)), data_path.string() + ": trajectory");
  // A trajectory is stored once, or once a frame; the header says which frames share one.
  const auto place_of = [&](Index part, Index stored, auto member) {
    if (stored == 1) return Index{0};
    const auto user = std::find_if(header.frames.begin(), header.frames.end(),
                                   [&](const FrameParts& frame) { return frame.*member == part; });
    const Index place = user - header.frames.begin();
    if (place >= stored)
      throw ShapeError(fmt::format("'{}': it has parts of {} frames only", data_path.string(), stored));
    return place;
  };
  add_numbered(arrays, "trajectory", static_cast<Index>(header.readout_lengths.size()), [&](Index part) {
    return positions_of(ctx, positions.slice(place_of(part, positions.extent(0), &FrameParts::trajectory)), header,
                        data_path.string());
  });
  Index weight_count = 0;
  for (const FrameParts& frame : header.frames) weight_count = std::max(weight_count, frame.weights + 1);
  if (weight_count > 0) {
    const fs::path weights_path = beside(data_path, weights_suffix);
    const auto weights = converted<float>(ctx, AnyArray(read_part(ctx, weights_path)), weights_path.string());
    add_numbered(arrays, "weights", weight_count, [&](Index part) {
      return clone(ctx, weights.slice(place_of(part, weights.extent(0), &FrameParts::weights)));
    });
  }
  if (header.has_noise) {
    Array<Complex> noise = read_part(ctx, beside(data_path, noise_suffix));
    noise.reshape({header.coils, noise.size() / std::max<Index>(header.coils, 1)});
    arrays.push_back({"noise", std::move(noise)});
  }
  if (header.has_coil_maps) {
    Array<Complex> maps = read_part(ctx, beside(data_path, maps_suffix));
    maps.reshape({header.coils, header.matrix[2], header.matrix[1], header.matrix[0]});
    arrays.push_back({"coil_maps", std::move(maps)});
  }
  return scan_from_arrays(ctx, std::move(arrays), first.scan, path.string());
}

std::vector<fs::path> cfl_parts_to_read(const fs::path& path) {
  std::vector<fs::path> parts{path};
  const CflHeader file = read_cfl_header(fs::path(path).replace_extension());
  if (file.scan.empty()) return parts;
  const ScanHeader header = parse_scan_header(file.scan, path.string());
  const bool has_weights = std::any_of(header.frames.begin(), header.frames.end(),
                                       [](const FrameParts& frame) { return frame.weights >= 0; });
  if (header.coils > 0) parts.push_back(beside(path, trajectory_suffix));
  if (has_weights) parts.push_back(beside(path, weights_suffix));
  if (header.has_noise) parts.push_back(beside(path, noise_suffix));
  if (header.has_coil_maps) parts.push_back(beside(path, maps_suffix));
  return parts;
}

std::vector<fs::path> cfl_parts_to_write(const fs::path& path) {
  std::vector<fs::path> parts{path};
  for (const char* suffix : {trajectory_suffix, weights_suffix, noise_suffix, maps_suffix}) {
    parts.push_back(beside(path, suffix));
  }
  return parts;
}

}  // namespace whorl::io
