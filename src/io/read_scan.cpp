#include "whorl/io/read_scan.hpp"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "io/format.hpp"
#include "io/ismrmrd/file.hpp"
#include "io/ismrmrd/header.hpp"
#include "io/scans/noise_from.hpp"
#include "io/scans/replace_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/measurement_facts.hpp"

namespace whorl {

namespace {

// What is read later, by the convention of `center`.
FrameData centered(FrameData read, const Scan& scan, ImageCenter center) {
  std::vector<std::shared_ptr<const Trajectory>> trajectories;
  for (const ScanFrame& frame : scan.frames) trajectories.push_back(frame.trajectory);
  return [read = std::move(read), matrix = scan.matrix, trajectories = std::move(trajectories), center](
             const Context& host, std::span<const Index> frames) {
    std::vector<Array<std::complex<float>>> data = read(host, frames);
    Scan part;
    part.matrix = matrix;
    for (std::size_t i = 0; i < data.size(); ++i) {
      part.frames.push_back({{}, trajectories[static_cast<std::size_t>(frames[i])], nullptr, data[i].share(), {}});
    }
    apply_image_center(part, center);
    return data;
  };
}

// Fields of view that the file states stay as they are.
void take_field_of_view(Scan& scan, std::span<const double> field_of_view_mm, const std::string& file) {
  constexpr double rounding = 1e-3;  // of people's numbers, and of float
  for (ScanFrame& frame : scan.frames) {
    for (std::size_t axis = 0; axis < field_of_view_mm.size(); ++axis) {
      double& here = frame.geometry.field_of_view_mm[axis];
      if (here > 0 && std::abs(here / field_of_view_mm[axis] - 1) > rounding) {
        throw ValueError(
            fmt::format("{}: the scan states a field of view of {:g} mm along {}, and not {:g} mm; leave "
                        "out the option fov",
                        file, here, "xyz"[axis], field_of_view_mm[axis]));
      }
      if (!(here > 0)) here = field_of_view_mm[axis];
    }
  }
}

}  // namespace

Scan read_scan(const Context& ctx, const std::filesystem::path& path, const ScanReadOptions& options) {
  const io::FileStart file = io::read_start(path);
  const io::Format* format = io::recognize(file);
  if (format != nullptr && format->read_scan == nullptr && format->name != "hdf5") {
    throw IoError(
        fmt::format("{}: a {} does not say enough to be a scan: expected ISMRMRD, .npz or .cfl of whorl, or the "
                    "reproducibility challenge's HDF5; make a scan of it first: whorl convert --matrix "
                    "(docs/start/own-data.md)",
                    path.string(), format->description));
  }
  // For unknown files, ISMRMRD's reader has the best message.
  const bool known = format != nullptr && format->read_scan != nullptr;
  Scan scan = known ? format->read_scan(ctx, path, options) : read_ismrmrd(ctx, path, options);
  const bool is_read = !known || format->name == "ismrmrd";  // by read_ismrmrd, with all options
  if (!options.trajectory_from.empty() && !is_read) io::replace_trajectory(ctx, scan, options);
  take_field_of_view(scan, options.field_of_view_mm, path.string());
  if (!options.noise_from.empty()) io::take_noise_from(ctx, scan, options.noise_from);
  if (options.later != nullptr && *options.later && options.center != ImageCenter::voxel) {
    *options.later = centered(std::move(*options.later), scan, options.center);
  }
  apply_image_center(scan, options.center);
  return scan;
}

MeasurementFacts read_measurement_facts(const std::filesystem::path& path, const ScanReadOptions& options) {
  const io::Format* format = io::recognize(io::read_start(path));
  if (format == nullptr || format->name != "ismrmrd") return {};
  return io::parse_facts(io::IsmrmrdFile(path, options.group).read_xml(), path.string());
}

}  // namespace whorl
