#include <fmt/format.h>

#include <bit>
#include <fstream>
#include <system_error>

#include "io/convert/layouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

static_assert(std::endian::native == std::endian::little, "raw files are read as they lie on the disk");

std::uintmax_t size_of(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error) throw IoError(fmt::format("{}: can not read it: {}", path.string(), error.message()));
  return size;
}

template <class T>
void read_into(const std::filesystem::path& path, std::uintmax_t position, T* to, Index count) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(position));
  const auto bytes = static_cast<std::streamsize>(static_cast<std::size_t>(count) * sizeof(T));
  file.read(reinterpret_cast<char*>(to), bytes);
  if (file.gcount() != bytes) throw IoError(fmt::format("{}: it ended while it was read", path.string()));
}

TrajectoryColumns columns_of(const ConvertOptions& options, int dim) {
  if (options.trajectory_columns == TrajectoryColumns::automatic) {
    return dim == 3 ? TrajectoryColumns::xyzw : TrajectoryColumns::xyw;
  }
  if (has_kz(options.trajectory_columns) != (dim == 3)) {
    throw ValueError(fmt::format("convert: trajectory columns {} do not fit a {}D matrix",
                                 to_string(options.trajectory_columns), dim));
  }
  return options.trajectory_columns;
}

struct RawTrajectory {
  Array<double> points;
  Array<float> weights;
};

RawTrajectory read_trajectory(const Context& ctx, const std::filesystem::path& path, TrajectoryColumns columns) {
  const int many = column_count(columns);
  const std::uintmax_t bytes_per_sample = sizeof(float) * static_cast<std::size_t>(many);
  const std::uintmax_t size = size_of(path);
  if (size == 0 || size % bytes_per_sample != 0) {
    throw IoError(
        fmt::format("{}: its {} bytes are not a whole number of samples of {} float32 ({}); it is truncated, "
                    "or state other trajectory-columns",
                    path.string(), size, many, to_string(columns)));
  }
  const auto samples = static_cast<Index>(size / bytes_per_sample);
  std::vector<float> numbers(static_cast<std::size_t>(samples * many));
  read_into(path, 0, numbers.data(), samples * many);
  const int dim = has_kz(columns) ? 3 : 2;
  const int weight = weight_column(columns);
  RawTrajectory trajectory{Array<double>(ctx, {samples, dim}), {}};
  if (weight >= 0) trajectory.weights = Array<float>(ctx, {samples});
  for (Index sample = 0; sample < samples; ++sample) {
    const float* row = numbers.data() + sample * many;
    for (int column = 0; column < many; ++column) check_finite(row[column], path.string(), sample * many + column);
    std::copy(row, row + dim, trajectory.points.data() + sample * dim);
    if (weight < 0) continue;
    if (row[weight] < 0) {
      throw ValueError(
          fmt::format("{}: density weight of sample {} is {}, expected >= 0; state other "
                      "trajectory-columns",
                      path.string(), sample, row[weight]));
    }
    trajectory.weights.data()[sample] = row[weight];
  }
  return trajectory;
}

/// The number of repetitions that every coil's file holds.
Index count_repetitions(const std::vector<std::filesystem::path>& coils, Index samples) {
  const std::uintmax_t bytes = sizeof(std::complex<float>) * static_cast<std::size_t>(samples);
  const std::uintmax_t first = size_of(coils.front());
  for (const std::filesystem::path& path : coils) {
    const std::uintmax_t size = size_of(path);
    if (size == 0 || size % bytes != 0) {
      throw IoError(fmt::format("{}: its {} bytes are not a whole number of repetitions of {} complex64 samples",
                                path.string(), size, samples));
    }
    if (size != first) {
      throw IoError(fmt::format("{}: {} bytes, but {} has {}; all coils must have the same", path.string(), size,
                                coils.front().string(), first));
    }
  }
  return static_cast<Index>(first / bytes);
}

}  // namespace

void convert_raw(const Context& ctx, const std::vector<std::filesystem::path>& inputs, const ConvertOptions& options,
                 Scan& scan, TrajectorySet& trajectories) {
  if (inputs.size() < 2) {
    throw ValueError(
        fmt::format("{}: neither MATLAB nor HDF5; as a raw trajectory it needs the files of the coils "
                    "after it",
                    scan.source));
  }
  const TrajectoryColumns columns = columns_of(options, scan.dim());
  const RawTrajectory raw = read_trajectory(ctx, inputs.front(), columns);
  const Index samples = raw.points.extent(0);
  const std::vector<std::filesystem::path> coils(inputs.begin() + 1, inputs.end());
  const Index repetitions = count_repetitions(coils, samples);
  const Index readout_length = readout_length_of(options, samples, 0, scan.source);
  scan.coils = static_cast<Index>(coils.size());
  scan.notes.emplace_back(fmt::format(
      "Raw files: {} samples ({}), {} coils, {} repetitions, readouts {}.", samples, to_string(columns), scan.coils,
      repetitions,
      readout_length > 0 ? fmt::format("of {} samples", readout_length) : std::string("of unknown length")));
  for (Index repetition = 0; repetition < repetitions; ++repetition) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index.repetition = static_cast<int>(repetition);
    frame.data = Array<std::complex<float>>(ctx, {scan.coils, samples});
    for (Index coil = 0; coil < scan.coils; ++coil) {
      const std::filesystem::path& path = coils[static_cast<std::size_t>(coil)];
      std::complex<float>* to = frame.data.data() + coil * samples;
      const std::uintmax_t skip = sizeof(*to) * static_cast<std::size_t>(repetition * samples);
      read_into(path, skip, to, samples);
      for (Index i = 0; i < samples; ++i) check_finite(to[i], path.string(), repetition * samples + i);
    }
    trajectories.attach(frame, {clone(ctx, raw.points.ref()), readout_length},
                        raw.weights.size() > 0 ? clone(ctx, raw.weights.ref()) : Array<float>());
  }
}

}  // namespace whorl::io
