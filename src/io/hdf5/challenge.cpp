#include "io/hdf5/challenge.hpp"
#include "core/ask.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/bytes/elements.hpp"
#include "io/hdf5/arrays.hpp"
#include "io/scans/scan_arrays.hpp"
#include "io/scans/scan_header.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Complex = std::complex<float>;

/// Swaps the axes of a matrix: [rows, columns] -> [columns, rows].
template <class T>
Array<T> transposed(const Context& ctx, ArrayRef<const T> from) {
  return std::get<Array<T>>(reverse_axes(ctx, clone(ctx, from)));
}

NamedArray read_finite(const Context& ctx, const Hdf5File& file, const std::string& path, const char* name) {
  NamedArray array = file.read(ctx, name);
  check_finite(array.values, fmt::format("'{}': {}", path, name));
  return array;
}

struct Layout {
  Index readout = 0;
  Index shots = 0;
  bool reversed = false;
};

Layout layout_of(const Shape& shape, const std::string& path) {
  if (shape.rank() == 3 && shape[0] == 3) return {shape[1], shape[2], false};
  if (shape.rank() == 3 && shape[2] == 3) return {shape[1], shape[0], true};
  throw ShapeError(fmt::format("'{}': trajectory of shape {}, expected [3, readout, shot]", path, to_string(shape)));
}

/// rawdata as [coil, sample].
Array<Complex> data_of(const Context& ctx, const Hdf5File& file, const Layout& layout, const std::string& path) {
  const NamedArray stored = read_finite(ctx, file, path, "rawdata");
  const Shape& shape = shape_of(stored.values);
  const bool fits =
      shape.rank() == 4 && (layout.reversed ? shape[3] == 1 && shape[2] == layout.readout && shape[1] == layout.shots
                                            : shape[0] == 1 && shape[1] == layout.readout && shape[2] == layout.shots);
  if (!fits) {
    throw ShapeError(fmt::format("'{}': rawdata of shape {}, expected [1, {}, {}, coil] as the trajectory has it{}",
                                 path, to_string(shape), layout.readout, layout.shots,
                                 layout.reversed ? ", or all axes reversed" : ""));
  }
  Array<Complex> data = converted<Complex>(ctx, stored.values, path + ": rawdata");
  const Index coils = layout.reversed ? shape[0] : shape[3];
  const Index samples = layout.readout * layout.shots;
  if (layout.reversed) {
    data.reshape({coils, samples});  // [coil, shot, readout]: the order of acquisition
    return data;
  }
  // [readout, shot, coil] -> [coil, shot, readout]
  data.reshape({layout.readout, layout.shots, coils});
  data = std::get<Array<Complex>>(reverse_axes(ctx, std::move(data)));
  data.reshape({coils, samples});
  return data;
}

/// [sample, 3] as stored, in cycles per field of view.
Array<double> positions_of(const Context& ctx, const NamedArray& stored, const Layout& layout,
                           const std::string& path) {
  Array<double> points = converted<double>(ctx, stored.values, path + ": trajectory");
  if (!layout.reversed) points = std::get<Array<double>>(reverse_axes(ctx, std::move(points)));
  points.reshape({layout.readout * layout.shots, 3});
  return points;
}

/// The first `dim` columns; for a 2D image the third must be zero.
Array<double> of_dimension(const Context& ctx, ArrayRef<const double> points, int dim, const std::string& path) {
  Array<double> result(ctx, {points.extent(0), dim});
  const auto from = points.view<2>();
  const auto to = result.view<2>();
  for (Index i = 0; i < points.extent(0); ++i) {
    detail::ask_at(ctx, i, "reading HDF5");
    for (int axis = 0; axis < dim; ++axis) to(i, axis) = from(i, axis);
    if (dim == 2 && from(i, 2) != 0) {
      throw ValueError(fmt::format(
          "'{}': sample {} has kz = {}, but the matrix is 2D; give a matrix with a third extent", path, i, from(i, 2)));
    }
  }
  return result;
}

/// Coils as [coil, z, y, x], or no elements.
Array<Complex> maps_of(const Context& ctx, const Hdf5File& file, Index coils, const std::string& path) {
  if (!file.has("Coils")) return {};
  const NamedArray stored = read_finite(ctx, file, path, "Coils");
  Array<Complex> maps = converted<Complex>(ctx, stored.values, path + ": Coils");
  const Shape shape = maps.shape();
  if (shape.rank() < 3 || shape.rank() > 4 || shape[0] != coils || maps.size() == 0) {
    throw ShapeError(fmt::format("'{}': Coils of shape {}, expected [{} coils, y, x] or [{} coils, z, y, x]", path,
                                 to_string(shape), coils, coils));
  }
  maps.reshape({coils, shape.rank() == 4 ? shape[1] : 1, shape[-2], shape[-1]});
  return maps;
}

std::array<Index, 3> matrix_of(const ConvertOptions& options, ArrayRef<const Complex> maps, const std::string& path) {
  if (options.matrix[0] > 0) return options.matrix;
  if (maps.size() > 0) return {maps.extent(-1), maps.extent(-2), maps.extent(-3)};
  throw ValueError(fmt::format(
      "'{}': the reproducibility challenge's layout does not say the image's matrix; give it, as x, y and in "
      "3D z",
      path));
}

Array<Complex> noise_of(const Context& ctx, const Hdf5File& file, const std::string& path) {
  return transposed<Complex>(ctx,
                             converted<Complex>(ctx, read_finite(ctx, file, path, "noise").values, path + ": noise"));
}

Array<float> weights_of(const Context& ctx, const Hdf5File& file, const Layout& layout, const std::string& path) {
  const Array<float> stored = converted<float>(ctx, read_finite(ctx, file, path, "weights").values, path + ": weights");
  if (stored.shape() != Shape{layout.readout, layout.shots}) {
    throw ShapeError(fmt::format("'{}': weights of shape {}, expected [{}, {}]", path, to_string(stored.shape()),
                                 layout.readout, layout.shots));
  }
  Array<float> weights = transposed<float>(ctx, stored);
  weights.reshape({layout.readout * layout.shots});
  return weights;
}

/// A file of write_challenge, which describes itself completely.
Scan read_own(const Context& ctx, const Hdf5File& file, const std::string& header_text, const std::string& path) {
  const ScanHeader header = parse_scan_header(header_text, path);
  const NamedArray stored = read_finite(ctx, file, path, "trajectory");
  const Layout layout = layout_of(shape_of(stored.values), path);
  std::vector<NamedArray> arrays;
  const int dim = header.matrix[2] > 1 ? 3 : 2;
  Array<double> points = of_dimension(ctx, positions_of(ctx, stored, layout, path), dim, path);
  const auto k = points.view<2>();
  for (Index i = 0; i < k.extent(0); ++i) {
    detail::ask_at(ctx, i, "reading HDF5");
    for (int axis = 0; axis < dim; ++axis)
      k(i, axis) /= static_cast<double>(header.matrix[static_cast<std::size_t>(axis)]);
  }
  arrays.push_back({"trajectory", std::move(points)});
  if (header.coils > 0) arrays.push_back({"data", data_of(ctx, file, layout, path)});
  if (header.frames.front().weights >= 0) arrays.push_back({"weights", weights_of(ctx, file, layout, path)});
  if (header.has_noise) arrays.push_back({"noise", noise_of(ctx, file, path)});
  if (header.has_coil_maps) arrays.push_back({"coil_maps", maps_of(ctx, file, header.coils, path)});
  return scan_from_arrays(ctx, std::move(arrays), header_text, path);
}

}  // namespace

Scan read_challenge(const Context& ctx, const std::filesystem::path& input, const ConvertOptions& options) {
  const std::string path = input.string();
  const Hdf5File file(input);
  const std::string header = file.read_text(scan_header_dataset);
  if (!header.empty()) return read_own(ctx, file, header, path);
  const NamedArray stored = read_finite(ctx, file, path, "trajectory");
  const Layout layout = layout_of(shape_of(stored.values), path);
  Scan scan;
  scan.source = path;
  scan.trajectory_kind = options.trajectory_kind;
  scan.dwell_us = options.dwell_us;
  ScanFrame& frame = scan.frames.emplace_back();
  frame.data = data_of(ctx, file, layout, path);
  frame.geometry.field_of_view_mm = options.field_of_view_mm;
  scan.coils = frame.data.extent(0);
  scan.coil_maps = maps_of(ctx, file, scan.coils, path);
  scan.matrix = matrix_of(options, scan.coil_maps, path);
  TrajectorySet trajectories;
  trajectories.attach(
      frame, {of_dimension(ctx, positions_of(ctx, stored, layout, path), scan.dim(), path), layout.readout}, {});
  // The layout's unit is cycles per field of view.
  const TrajectoryUnit unit =
      options.trajectory_unit == TrajectoryUnit::automatic ? TrajectoryUnit::cycles_per_fov : options.trajectory_unit;
  trajectories.finish(ctx, scan, {{scan.matrix, options.field_of_view_mm}, {1, 1, 1}, {}, unit});
  check_scan(ctx, scan, path);
  return scan;
}

void write_challenge(const Context& ctx, const Scan& scan, const std::filesystem::path& path) {
  check_scan(ctx, scan, path.string());
  if (scan.frames.size() != 1) {
    throw ShapeError(
        fmt::format("writing '{}': {} frames, but the reproducibility challenge's layout holds one; write "
                    "ISMRMRD (.h5) or .npz",
                    path.string(), scan.frames.size()));
  }
  const ScanFrame& frame = scan.frames.front();
  const Index samples = frame.trajectory->samples();
  const Index readout = frame.trajectory->readout_length > 0 ? frame.trajectory->readout_length : samples;
  const Index shots = samples / readout;
  std::vector<NamedArray> arrays;
  if (scan.coils > 0) {
    Array<Complex> data = clone(ctx, frame.data.ref());
    data.reshape({scan.coils, shots, readout});
    data = std::get<Array<Complex>>(reverse_axes(ctx, std::move(data)));
    data.reshape({1, readout, shots, scan.coils});
    arrays.push_back({"rawdata", std::move(data)});
  }
  Array<double> positions = zeros<double>(ctx, {shots, readout, 3});
  const auto k = frame.trajectory->points.view<2>();
  for (Index i = 0; i < samples; ++i) {
    detail::ask_at(ctx, i, "writing HDF5");
    for (int axis = 0; axis < scan.dim(); ++axis) {
      positions.data()[3 * i + axis] = k(i, axis) * static_cast<double>(scan.matrix[static_cast<std::size_t>(axis)]);
    }
  }
  arrays.push_back({"trajectory", reverse_axes(ctx, std::move(positions))});
  if (frame.weights) {
    Array<float> weights = clone(ctx, frame.weights->ref());
    weights.reshape({shots, readout});
    arrays.push_back({"weights", reverse_axes(ctx, std::move(weights))});
  }
  if (scan.noise.size() > 0) arrays.push_back({"noise", transposed<Complex>(ctx, scan.noise)});
  if (scan.coil_maps.size() > 0) arrays.push_back({"Coils", clone(ctx, scan.coil_maps.ref())});
  write_hdf5(ctx, path, arrays, make_scan_header(scan));
}

}  // namespace whorl::io
