#include "io/scans/scan_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/ask.hpp"
#include "io/scans/scan_header.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

using Complex = std::complex<float>;

/// "weights", or "weights_3" where there are several.
std::string numbered(const char* name, Index number, Index count) {
  return count == 1 ? std::string(name) : fmt::format("{}_{}", name, number);
}

/// The index of an object shared by frames, in the order of first use; -1 for none.
template <class T>
Index number_of(const std::shared_ptr<const T>& object, std::vector<const T*>& known) {
  if (!object) return -1;
  const Index place = std::find(known.begin(), known.end(), object.get()) - known.begin();
  if (place == static_cast<Index>(known.size())) known.push_back(object.get());
  return place;
}

/// The header, and the objects of its indices.
struct Description {
  ScanHeader header;
  std::vector<const Trajectory*> trajectories;
  std::vector<const Array<float>*> weights;
};

Description describe(const Scan& scan) {
  Description description;
  ScanHeader& header = description.header;
  header.matrix = scan.matrix;
  header.coils = scan.coils;
  header.system = scan.system;
  header.trajectory_kind = scan.trajectory_kind;
  header.dwell_us = scan.dwell_us;
  header.noise_dwell_us = scan.noise_dwell_us;
  header.readout_interval_ms = scan.readout_interval_ms;
  header.readout_start_us = scan.readout_start_us;
  header.echo_times_ms = scan.echo_times_ms;
  header.has_noise = scan.noise.size() > 0;
  header.has_coil_maps = scan.coil_maps.size() > 0;
  for (const ScanFrame& frame : scan.frames) {
    header.frames.push_back({frame.index, frame.geometry, number_of(frame.trajectory, description.trajectories),
                             number_of(frame.weights, description.weights)});
  }
  for (const Trajectory* trajectory : description.trajectories) {
    header.readout_lengths.push_back(trajectory->readout_length);
  }
  return description;
}

bool have_equal_lengths(const Scan& scan) {
  return std::all_of(scan.frames.begin(), scan.frames.end(), [&](const ScanFrame& frame) {
    return frame.data.extent(1) == scan.frames.front().data.extent(1);
  });
}

void add_data(const Context& ctx, const Scan& scan, std::vector<NamedArray>& arrays) {
  if (scan.coils == 0) return;
  const auto frames = static_cast<Index>(scan.frames.size());
  if (frames > 1 && have_equal_lengths(scan)) {
    Array<Complex> all(ctx, scan.frames.front().data.shape().with_front(frames));
    for (Index i = 0; i < frames; ++i) copy<Complex>(scan.frames[static_cast<std::size_t>(i)].data, all.slice(i));
    arrays.push_back({"data", std::move(all)});
    return;
  }
  for (Index i = 0; i < frames; ++i) {
    arrays.push_back({numbered("data", i, frames), clone(ctx, scan.frames[static_cast<std::size_t>(i)].data.ref())});
  }
}

/// Arrays by name, each used once and of a known type.
class Parts {
 public:
  Parts(const Context& ctx, std::vector<NamedArray> arrays, const std::string& source) : ctx_(ctx), source_(source) {
    for (NamedArray& array : arrays) {
      std::string name = array.name;
      check_finite(array.values, source_ + ":" + name);
      arrays_.insert_or_assign(std::move(name), std::move(array.values));
    }
  }

  bool has(const std::string& name) const { return arrays_.contains(name); }

  template <class T>
  Array<T> take(const std::string& name) {
    const auto found = arrays_.find(name);
    if (found == arrays_.end()) throw IoError(fmt::format("'{}': its scan has no array {}", source_, name));
    Array<T> array;
    if (auto* same = std::get_if<Array<T>>(&found->second)) {
      array = std::move(*same);
    } else {
      array = converted<T>(ctx_, found->second, source_ + ":" + name);
    }
    arrays_.erase(found);
    return array;
  }

 private:
  const Context& ctx_;
  const std::string& source_;
  std::map<std::string, AnyArray> arrays_;
};

void take_data(const Context& ctx, Parts& parts, const std::string& source, Scan& scan) {
  const auto frames = static_cast<Index>(scan.frames.size());
  if (scan.coils == 0) {
    for (ScanFrame& frame : scan.frames) frame.data = Array<Complex>(ctx, {0, frame.trajectory->samples()});
    return;
  }
  if (frames == 1 || !parts.has("data")) {
    for (Index i = 0; i < frames; ++i) {
      scan.frames[static_cast<std::size_t>(i)].data = parts.take<Complex>(numbered("data", i, frames));
    }
    return;
  }
  const Array<Complex> all = parts.take<Complex>("data");
  if (all.rank() != 3 || all.extent(0) != frames) {
    throw ShapeError(fmt::format("'{}': data of shape {}, expected [{} frames, coil, sample]", source,
                                 to_string(all.shape()), frames));
  }
  for (Index i = 0; i < frames; ++i) scan.frames[static_cast<std::size_t>(i)].data = clone(ctx, all.slice(i));
}

void check_shapes(const Scan& scan, const std::string& file) {
  if (scan.noise.size() > 0 && (scan.noise.rank() != 2 || scan.noise.extent(0) != scan.coils)) {
    throw ShapeError(fmt::format("{}: noise of shape {}, expected [{} coils, sample]", file,
                                 to_string(scan.noise.shape()), scan.coils));
  }
  const Shape maps{scan.coils, scan.matrix[2], scan.matrix[1], scan.matrix[0]};
  if (scan.coil_maps.size() > 0 && scan.coil_maps.shape() != maps) {
    throw ShapeError(fmt::format("{}: coil maps of shape {}, expected {}", file, to_string(scan.coil_maps.shape()),
                                 to_string(maps)));
  }
}

void check_weights(const Array<float>& weights, Index samples, const std::string& file) {
  if (weights.shape() != Shape{samples}) {
    throw ShapeError(
        fmt::format("{}: density weights of shape {} for {} samples", file, to_string(weights.shape()), samples));
  }
  const auto bad = std::find_if_not(weights.span().begin(), weights.span().end(),
                                    [](float weight) { return weight >= 0 && std::isfinite(weight); });
  if (bad != weights.span().end()) {
    throw ValueError(
        fmt::format("{}: density weight of sample {} is {}, expected >= 0", file, bad - weights.span().begin(), *bad));
  }
}

// Numbers that readers refuse, whoever made them: the noise of a phantom, or a scale beyond float.
void check_numbers(const Context& ctx, const Scan& scan, const std::string& file) {
  const auto check = [&](const Array<Complex>& values, const std::string& what) {
    const auto all = values.span();
    for (std::size_t i = 0; i < all.size(); ++i) {
      detail::ask_at(ctx, static_cast<Index>(i), "scan");
      if (std::isfinite(all[i].real()) && std::isfinite(all[i].imag())) continue;
      throw ValueError(
          fmt::format("{}: element {} of {} is not finite (NaN or infinite); every number must be", file, i, what));
    }
  };
  constexpr double most = 1e30;  // formats hold geometries in float32
  for (std::size_t f = 0; f < scan.frames.size(); ++f) {
    check(scan.frames[f].data, fmt::format("the data of frame {}", f));
    const Geometry& geometry = scan.frames[f].geometry;
    for (const auto* numbers : {&geometry.field_of_view_mm, &geometry.position_mm, &geometry.read_direction,
                                &geometry.phase_direction, &geometry.slice_direction}) {
      for (const double number : *numbers) {
        if (std::abs(number) <= most) continue;
        throw ValueError(fmt::format("{}: the geometry of frame {} has the number {}, expected {:g} at most", file, f,
                                     number, most));
      }
    }
  }
  check(scan.noise, "the noise scan");
  check(scan.coil_maps, "the coil maps");
}

}  // namespace

void check_scan(const Context& ctx, const Scan& scan, const std::string& file) {
  if (scan.frames.empty()) throw ValueError(fmt::format("{}: the scan to be written has no frames", file));
  check_shapes(scan, file);
  for (const ScanFrame& frame : scan.frames) {
    if (!frame.trajectory) throw ValueError(fmt::format("{}: a frame of the scan has no trajectory", file));
    check_trajectory(ctx, frame.trajectory->points);
    const Index samples = frame.trajectory->samples();
    if (frame.trajectory->dim() != scan.dim()) {
      throw ShapeError(fmt::format("{}: the trajectory has {} dimensions, the matrix {}", file, frame.trajectory->dim(),
                                   scan.dim()));
    }
    const bool fits = scan.coils > 0 ? frame.data.shape() == Shape{scan.coils, samples} : frame.data.size() == 0;
    if (samples == 0 || !fits) {
      throw ShapeError(fmt::format("{}: data of shape {}, expected [{} coils, {} samples], more than none", file,
                                   to_string(frame.data.shape()), scan.coils, samples));
    }
    const Index length = frame.trajectory->readout_length;
    if (length < 0 || (length > 0 && samples % length != 0)) {
      throw ShapeError(
          fmt::format("{}: {} samples are not a whole number of readouts of {} samples", file, samples, length));
    }
    if (frame.weights) check_weights(*frame.weights, samples, file);
  }
  check_numbers(ctx, scan, file);
}

std::string make_scan_header(const Scan& scan) { return format_scan_header(describe(scan).header); }

ScanArrays scan_to_arrays(const Context& ctx, const Scan& scan) {
  check_scan(ctx, scan, "a scan to be written");
  const Description description = describe(scan);
  ScanArrays result{{}, format_scan_header(description.header)};
  add_data(ctx, scan, result.arrays);
  const auto trajectory_count = static_cast<Index>(description.trajectories.size());
  for (Index i = 0; i < trajectory_count; ++i) {
    const Trajectory& trajectory = *description.trajectories[static_cast<std::size_t>(i)];
    result.arrays.push_back({numbered("trajectory", i, trajectory_count), clone(ctx, trajectory.points.ref())});
  }
  const auto weight_count = static_cast<Index>(description.weights.size());
  for (Index i = 0; i < weight_count; ++i) {
    result.arrays.push_back(
        {numbered("weights", i, weight_count), clone(ctx, description.weights[static_cast<std::size_t>(i)]->ref())});
  }
  if (scan.noise.size() > 0) result.arrays.push_back({"noise", clone(ctx, scan.noise.ref())});
  if (scan.coil_maps.size() > 0) result.arrays.push_back({"coil_maps", clone(ctx, scan.coil_maps.ref())});
  return result;
}

Scan scan_from_arrays(const Context& ctx, std::vector<NamedArray> arrays, const std::string& header_text,
                      const std::string& source) {
  const ScanHeader header = parse_scan_header(header_text, source);
  Parts parts(ctx, std::move(arrays), source);
  Scan scan;
  scan.source = source;
  scan.system = header.system;
  scan.matrix = header.matrix;
  scan.coils = header.coils;
  scan.trajectory_kind = header.trajectory_kind;
  scan.trajectory_unit = "cycles/pixel (stated)";
  scan.dwell_us = header.dwell_us;
  scan.noise_dwell_us = header.noise_dwell_us;
  scan.readout_interval_ms = header.readout_interval_ms;
  scan.readout_start_us = header.readout_start_us;
  scan.echo_times_ms = header.echo_times_ms;
  std::vector<std::shared_ptr<const Trajectory>> trajectories;
  const auto trajectory_count = static_cast<Index>(header.readout_lengths.size());
  for (Index i = 0; i < trajectory_count; ++i) {
    auto points = parts.take<double>(numbered("trajectory", i, trajectory_count));
    trajectories.push_back(std::make_shared<const Trajectory>(
        Trajectory{std::move(points), header.readout_lengths[static_cast<std::size_t>(i)]}));
    check_trajectory(trajectories.back()->points);
  }
  Index weight_count = 0;
  for (const FrameParts& frame : header.frames) weight_count = std::max(weight_count, frame.weights + 1);
  std::vector<std::shared_ptr<const Array<float>>> weights;
  for (Index i = 0; i < weight_count; ++i) {
    weights.push_back(std::make_shared<const Array<float>>(parts.take<float>(numbered("weights", i, weight_count))));
  }
  for (const FrameParts& parts_of_frame : header.frames) {
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = parts_of_frame.index;
    frame.geometry = parts_of_frame.geometry;
    frame.trajectory = trajectories[static_cast<std::size_t>(parts_of_frame.trajectory)];
    if (parts_of_frame.weights >= 0) frame.weights = weights[static_cast<std::size_t>(parts_of_frame.weights)];
  }
  take_data(ctx, parts, source, scan);
  if (header.has_noise) scan.noise = parts.take<Complex>("noise");
  if (header.has_coil_maps) scan.coil_maps = parts.take<Complex>("coil_maps");
  check_scan(ctx, scan, source);
  return scan;
}

}  // namespace whorl::io
