#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "io/bytes/byte_source.hpp"
#include "io/bytes/elements.hpp"
#include "io/bytes/printable.hpp"
#include "io/parboil/parboil.hpp"
#include "io/scans/scan_arrays.hpp"
#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::string_view first_key = "aquisition.numsamples";  // Parboil's spelling
constexpr std::size_t longest_header = 4096;
constexpr Index most_pixels = 1 << 16;

/// The lines "key = a b c" or "key a b c" as numbers.
std::map<std::string, std::vector<double>> parse_lines(std::string_view text, const std::string& path) {
  std::map<std::string, std::vector<double>> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    constexpr std::string_view between = " \t\r=:,";
    const std::size_t key_end = std::min(line.find_first_of(between), line.size());
    if (key_end == 0) continue;
    std::vector<double>& numbers = lines[std::string(line.substr(0, key_end))];
    line.remove_prefix(key_end);
    while (true) {
      line.remove_prefix(std::min(line.find_first_not_of(between), line.size()));
      if (line.empty()) break;
      double number = 0;
      const auto [next, error] = std::from_chars(line.data(), line.data() + line.size(), number);
      if (error != std::errc{} || !std::isfinite(number)) {
        throw IoError(fmt::format("'{}': expected a number at '{}'", path, printable(line, 20)));
      }
      numbers.push_back(number);
      line.remove_prefix(static_cast<std::size_t>(next - line.data()));
    }
  }
  return lines;
}

struct GriddingHeader {
  std::uint64_t samples = 0;
  std::array<double, 3> largest_k{};
  std::array<Index, 3> acquired{};
  std::array<Index, 3> matrix{};
};

GriddingHeader parse_header(std::string_view text, const std::string& path) {
  const auto lines = parse_lines(text, path);
  const auto take = [&](const std::string& key, std::size_t count, double least, double most) {
    const auto found = lines.find(key);
    const bool fits = found != lines.end() && found->second.size() == count &&
                      std::all_of(found->second.begin(), found->second.end(),
                                  [&](double number) { return number >= least && number <= most; });
    if (!fits) {
      throw IoError(
          fmt::format("'{}': expected {} number(s) from {:g} to {:g} after {}", path, count, least, most, key));
    }
    return found->second;
  };
  constexpr double most = 1e12;
  GriddingHeader header;
  header.samples = static_cast<std::uint64_t>(take(std::string(first_key), 1, 1, most)[0]);
  const auto k = take("aquisition.kmax", 3, 1e-12, most);
  const auto acquired = take("aquisition.matrixSize", 3, 1, most_pixels);
  const auto matrix = take("reconstruction.matrixSize", 3, 1, most_pixels);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    header.largest_k[axis] = k[axis];
    header.acquired[axis] = static_cast<Index>(acquired[axis]);
    header.matrix[axis] = static_cast<Index>(matrix[axis]);
  }
  return header;
}

GriddingHeader read_header(const std::filesystem::path& path) {
  FileSource source(path);
  if (source.limit() > longest_header) {
    throw IoError(fmt::format("'{}' is no header of mri-gridding: it has {} bytes", path.string(), source.limit()));
  }
  std::string text(source.limit(), '\0');
  source.read(text.data(), text.size());
  return parse_header(text, path.string());
}

}  // namespace

bool is_gridding_header(std::string_view start) { return start.starts_with(first_key); }

Scan read_gridding(const Context& ctx, const std::filesystem::path& path) {
  const GriddingHeader header = read_header(path);
  constexpr Index columns = 6;  // real, imaginary, kx, ky, kz, weight
  std::filesystem::path data_path = path;
  data_path += ".data";
  FileSource source(data_path);
  if (source.limit() != header.samples * columns * sizeof(float)) {
    throw IoError(fmt::format("'{}': {} bytes, but its header says {} samples of {} bytes", data_path.string(),
                              source.limit(), header.samples, columns * sizeof(float)));
  }
  const auto samples = static_cast<Index>(header.samples);
  const AnyArray records = read_elements(ctx, source, {}, {samples, columns});
  check_finite(records, data_path.string());
  const auto record = std::get<Array<float>>(records).view<2>();

  Scan scan;
  scan.source = path.string();
  scan.matrix = header.matrix;
  scan.coils = 1;
  scan.trajectory_kind = "other";
  ScanFrame& frame = scan.frames.emplace_back();
  frame.data = Array<std::complex<float>>(ctx, {1, samples});
  const int dim = scan.dim();
  Trajectory trajectory{Array<double>(ctx, {samples, dim}), 0};
  Array<float> weights(ctx, {samples});
  for (Index i = 0; i < samples; ++i) {
    frame.data.data()[i] = {record(i, 0), record(i, 1)};
    // kmax is half the acquired matrix in cycles per field of view; the field of view is that of both matrices.
    for (int axis = 0; axis < dim; ++axis) {
      const auto at = static_cast<std::size_t>(axis);
      trajectory.points.data()[i * dim + axis] = record(i, 2 + axis) / header.largest_k[at] * 0.5 *
                                                 static_cast<double>(header.acquired[at]) /
                                                 static_cast<double>(header.matrix[at]);
    }
    weights.data()[i] = record(i, 5);
  }
  TrajectorySet trajectories;
  trajectories.attach(frame, std::move(trajectory), std::move(weights));
  trajectories.finish(ctx, scan, {{scan.matrix, {}}, {1, 1, 1}, {}, TrajectoryUnit::cycles_per_pixel});
  check_scan(ctx, scan, path.string());
  return scan;
}

}  // namespace whorl::io
