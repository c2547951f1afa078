#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "io/scans/trajectory_set.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/pulseq.hpp"

namespace whorl {

namespace {

using Readouts = std::vector<PulseqReadout>;

constexpr double mm_per_m = 1000;

std::array<double, 3> largest_k(const PulseqReadouts& found) {
  std::array<double, 3> largest{};
  const auto k = found.positions_per_m.view<2>();
  for (Index sample = 0; sample < k.extent(0); ++sample) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      largest[axis] = std::max(largest[axis], std::abs(k(sample, static_cast<Index>(axis))));
    }
  }
  return largest;
}

std::array<double, 3> field_of_view(const PulseqReadouts& found, const PulseqImage& image, const std::string& source) {
  std::array<double, 3> field = image.field_of_view_mm;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(field[axis] > 0)) field[axis] = found.field_of_view_mm[axis];
    if (!(field[axis] > 0) && axis < 2) {
      throw ValueError(fmt::format(
          "'{}': the field of view along {} is not known, because the sequence has no definition FOV; give the matrix "
          "and the field of view (whorl convert --matrix --fov)",
          source, "xyz"[axis]));
    }
  }
  return field;
}

/// The smallest even number of pixels that holds samples up to `cycles` over the field of view, one for up to half a
/// cycle. What exceeds it by no more than rounding is held.
double pixels_for(double cycles) {
  const double half = cycles / (1 + k_rounding);
  return half <= 0.5 ? 1 : 2 * std::ceil(half);
}

std::array<Index, 3> choose_matrix(const PulseqReadouts& found, const PulseqImage& image,
                                   const std::array<double, 3>& field_of_view_mm, Scan& scan) {
  const std::array<double, 3> largest = largest_k(found);
  std::array<Index, 3> matrix = image.matrix;
  constexpr double most_pixels = 65535;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double cycles = largest[axis] * field_of_view_mm[axis] / mm_per_m;
    if (axis == 2 && !(field_of_view_mm[2] > 0)) {
      // Without a size along z only samples in the plane say that the image is one.
      constexpr double in_plane = 1e-3;
      if (largest[2] > in_plane * std::max(largest[0], largest[1])) {
        throw ValueError(
            fmt::format("'{}': kz is up to {:.4g} 1/m, but the field of view along z is not known; give "
                        "the matrix and the field of view along x, y and z",
                        scan.source, largest[2]));
      }
      matrix[2] = 1;
      continue;
    }
    const double pixels = pixels_for(cycles);
    if (!(pixels <= most_pixels) || (axis < 2 && pixels < 2)) {
      throw ValueError(
          fmt::format("'{}': k along {} is up to {:.4g} 1/m, {:.4g} cycles over a field of view of {:.4g} mm: that is "
                      "no image of 2 to {:g} pixels; check the field of view",
                      scan.source, "xyz"[axis], largest[axis], cycles, field_of_view_mm[axis], most_pixels));
    }
    if (matrix[axis] == 0) matrix[axis] = static_cast<Index>(pixels);
    if (axis == 2 && matrix[2] == 1 && pixels > 1) {
      throw ValueError(
          fmt::format("'{}': kz is up to {:.4g} cycles over {:.4g} mm, so the image is a volume; give the "
                      "matrix along x, y and z",
                      scan.source, cycles, field_of_view_mm[2]));
    }
  }
  scan.notes.emplace_back(fmt::format("Matrix {} ({}), field of view {:.6g} mm ({}).", fmt::join(matrix, " x "),
                                      image.matrix[0] > 0 ? "stated" : "the smallest that holds all samples",
                                      fmt::join(field_of_view_mm, " x "),
                                      image.field_of_view_mm[0] > 0 ? "stated" : "definition FOV"));
  if (matrix[2] == 1 && largest[2] > 0) {
    scan.notes.emplace_back(fmt::format("kz is up to {:.3g} 1/m and was left out (2D).", largest[2]), NoteKind::doubt);
  }
  return matrix;
}

/// The one value of all, or nothing.
template <class Value>
std::optional<double> common(const Readouts& readouts, const Value& value, double slack) {
  const double first = value(readouts.front());
  const bool alike = std::all_of(readouts.begin(), readouts.end(),
                                 [&](const PulseqReadout& one) { return std::abs(value(one) - first) <= slack; });
  return alike ? std::optional(first) : std::nullopt;
}

/// The time between neighbors, in ms, where it is always the same; else 0.
double interval_ms(const std::vector<double>& seconds) {
  constexpr double raster = 1e-6;
  if (seconds.size() < 2) return 0;
  const double first = seconds[1] - seconds[0];
  for (std::size_t i = 2; i < seconds.size(); ++i) {
    if (std::abs(seconds[i] - seconds[i - 1] - first) > raster) return 0;
  }
  return 1000 * first;
}

/// Index of the sample of a readout that is nearest to the center of k-space; the first of equal ones.
Index center_sample(const PulseqReadouts& found, const PulseqReadout& readout) {
  const auto k = found.positions_per_m.view<2>();
  const auto radius = [&](Index i) {
    return std::hypot(k(readout.first + i, 0), k(readout.first + i, 1), k(readout.first + i, 2));
  };
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < readout.samples; ++i) least = std::min(least, radius(i));
  constexpr double rounding = 1e-6;
  Index center = 0;
  while (radius(center) > least + rounding * (1 + least)) ++center;
  return center;
}

void set_times(const PulseqReadouts& found, const std::map<FrameIndex, Readouts>& frames, Scan& scan) {
  constexpr double slack_us = 1e-4;
  const auto dwell = common(
      found.readouts, [](const PulseqReadout& one) { return one.dwell_us; }, slack_us);
  scan.dwell_us = dwell.value_or(0);
  if (!dwell) scan.notes.emplace_back("Readouts have different dwell times.");
  // Two samples may be as near to the center, and rounding takes either: such readouts count as alike.
  const auto start = [&](const PulseqReadout& one) { return static_cast<double>(center_sample(found, one)); };
  const auto center = common(found.readouts, start, 1);
  scan.readout_start_us = dwell && center ? -*center * *dwell : std::numeric_limits<double>::quiet_NaN();
  std::vector<double> readouts;
  for (const PulseqReadout& one : frames.begin()->second) readouts.push_back(found.seconds.data()[one.first]);
  scan.readout_interval_ms = interval_ms(readouts);
  std::vector<double> starts;
  for (const auto& [index, members] : frames) {
    if (index.slice == frames.begin()->first.slice) starts.push_back(found.seconds.data()[members.front().first]);
  }
  scan.frame_interval_ms = interval_ms(starts);
}

Trajectory trajectory_of(const Context& ctx, const PulseqReadouts& found, const Readouts& members, Index dim) {
  Index samples = 0;
  for (const PulseqReadout& one : members) samples += one.samples;
  const auto length = common(
      members, [](const PulseqReadout& one) { return static_cast<double>(one.samples); }, 0);
  Trajectory trajectory{Array<double>(ctx, {samples, dim}), static_cast<Index>(length.value_or(0))};
  double* to = trajectory.points.data();
  const auto k = found.positions_per_m.view<2>();
  for (const PulseqReadout& one : members) {
    for (Index sample = one.first; sample < one.first + one.samples; ++sample) {
      for (Index axis = 0; axis < dim; ++axis) *to++ = k(sample, axis);
    }
  }
  return trajectory;
}

}  // namespace

Scan read_pulseq(const Context& ctx, const std::filesystem::path& path, const PulseqImage& image,
                 const std::vector<FrameIndex>& counted) {
  return scan_of_readouts(ctx, read_pulseq_readouts(ctx, path), path.string(), image, counted);
}

Scan scan_of_readouts(const Context& ctx, const PulseqReadouts& found, const std::string& source,
                      const PulseqImage& image, const std::vector<FrameIndex>& counted) {
  if (!counted.empty() && counted.size() != found.readouts.size()) {
    throw ShapeError(
        fmt::format("'{}': {} readouts, but frames for {}", source, found.readouts.size(), counted.size()));
  }
  Scan scan;
  scan.source = source;
  scan.trajectory_kind = "other";
  scan.notes = found.notes;
  const std::array<double, 3> field = field_of_view(found, image, scan.source);
  scan.matrix = choose_matrix(found, image, field, scan);
  std::map<FrameIndex, Readouts> frames;
  for (std::size_t i = 0; i < found.readouts.size(); ++i) {
    const PulseqReadout& readout = found.readouts[i];
    frames[counted.empty() ? readout.frame : counted[i]].push_back(readout);
  }
  set_times(found, frames, scan);
  io::TrajectorySet trajectories;
  for (const auto& [index, members] : frames) {
    ctx.check_cancel("reading a sequence");
    ScanFrame& frame = scan.frames.emplace_back();
    frame.index = index;
    frame.geometry.field_of_view_mm = field;
    trajectories.attach(frame, trajectory_of(ctx, found, members, scan.dim()), {});
    frame.data = Array<std::complex<float>>(ctx, {0, frame.trajectory->samples()});
  }
  trajectories.finish(ctx, scan, {{scan.matrix, field}, {1, 1, 1}, {}, TrajectoryUnit::inverse_meter});
  return scan;
}

}  // namespace whorl
