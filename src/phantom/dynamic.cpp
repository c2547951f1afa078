#include "whorl/phantom/dynamic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "phantom/noise_alone.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"

namespace whorl {

namespace {

Region ellipse(std::array<double, 2> center, std::array<double, 2> half_axes, double intensity) {
  return {Solid{SolidKind::ellipsoid, {center[0], center[1], 0}, {half_axes[0], half_axes[1], 1}, 0},
          Tissue{.intensity = intensity}};
}

struct Disk {
  std::array<double, 2> center;
  double t2_s;
};

constexpr double body_t2_s = 0.06;
constexpr double body_density = 0.8;
constexpr std::array<double, 2> body_axes{0.82, 0.72};
constexpr double disk_radius = 0.17;
constexpr std::array<Disk, 5> disks{
    {{{-0.45, -0.2}, 0.03}, {{0, -0.38}, 0.05}, {{0.45, -0.2}, 0.08}, {{-0.25, 0.3}, 0.12}, {{0.25, 0.3}, 0.2}}};

// The samples of the readouts [first, first + readouts) of a frame at their times.
void measure_frame(const Context& ctx, const std::function<Phantom(double)>& phantom, const PhantomCoils& coils,
                   const Scan& scan, Index before, ScanFrame& frame) {
  const Index length = frame.trajectory->readout_length > 0 ? frame.trajectory->readout_length : frame.data.extent(1);
  const Index dim = frame.trajectory->dim();
  const Index samples = frame.data.extent(1);
  for (Index first = 0; first < samples; first += length) {
    const Index readout = before + first / length;
    const double time = 1e-3 * scan.readout_interval_ms * static_cast<double>(readout);
    const Index count = std::min(length, samples - first);
    const ArrayRef<const double> points(frame.trajectory->points.data() + first * dim, {count, dim});
    const auto values = phantom_coil_samples<float>(ctx, phantom(time), coils, points);
    for (Index coil = 0; coil < values.extent(0); ++coil) {
      for (Index i = 0; i < count; ++i) {
        frame.data.data()[coil * samples + first + i] += values.data()[coil * count + i];
      }
    }
  }
}

}  // namespace

double contrast_curve(double time_s, const BeatingOptions& options) {
  const double u = (time_s - options.arrival_s) / options.peak_s;
  return u > 0 ? options.enhancement * u * std::exp(1 - u) : 0;
}

Phantom beating_phantom(double time_s, const BeatingOptions& options) {
  if (!(options.stroke >= 0 && options.stroke < 1) || !(options.rate_hz > 0) || !(options.peak_s > 0) ||
      !std::isfinite(time_s)) {
    throw ValueError(fmt::format(
        "beating phantom: stroke {:g}, rate {:g} Hz, peak {:g} s at {:g} s; expected a stroke of 0 to below "
        "1, a rate and a peak above 0, and a finite time",
        options.stroke, options.rate_hz, options.peak_s, time_s));
  }
  const double scale = 1 - options.stroke * (1 - std::cos(2 * std::numbers::pi * options.rate_hz * time_s)) / 2;
  return {"beating",
          2,
          {ellipse({0, 0}, {0.82, 0.7}, 0.5), ellipse({-0.5, 0.15}, {0.16, 0.3}, -0.3),
           ellipse({0.5, -0.3}, {0.12, 0.12}, 0.25), ellipse({0.02, 0.1}, {0.26 * scale, 0.32 * scale}, 0.5),
           ellipse({-0.15, -0.45}, {0.1, 0.08}, 0.1 + contrast_curve(time_s, options))}};
}

Phantom t2_phantom(double echo_time_s) {
  if (!(echo_time_s >= 0) || !std::isfinite(echo_time_s)) {
    throw ValueError(fmt::format("T2 phantom: an echo time of {:g} s, expected 0 or more", echo_time_s));
  }
  const double body = body_density * std::exp(-echo_time_s / body_t2_s);
  Phantom phantom{"T2", 2, {ellipse({0, 0}, body_axes, body)}};
  for (const Disk& disk : disks) {
    phantom.regions.push_back(
        ellipse(disk.center, {disk_radius, disk_radius}, std::exp(-echo_time_s / disk.t2_s) - body));
  }
  return phantom;
}

Array<float> t2_phantom_map(const Context& ctx, const std::array<Index, 3>& matrix) {
  // Intensities in the place of densities: the body's T2, and what each disk has more.
  Phantom phantom{"T2", 2, {ellipse({0, 0}, body_axes, body_t2_s)}};
  for (const Disk& disk : disks) {
    phantom.regions.push_back(ellipse(disk.center, {disk_radius, disk_radius}, disk.t2_s - body_t2_s));
  }
  return rasterize<float>(ctx, phantom, matrix, 1);
}

Scan dynamic_phantom_scan(const Context& ctx, const std::function<Phantom(double time_s)>& phantom, Scan scan,
                          const PhantomScanOptions& options) {
  if (!(scan.readout_interval_ms > 0)) {
    throw ValueError(
        fmt::format("phantom scan: the time from one readout to the next is {:g} ms, expected one above 0: the object "
                    "moves from readout to readout; give it by readout-interval",
                    scan.readout_interval_ms));
  }
  scan = detail::noise_alone(ctx, phantom(0), std::move(scan), options);
  const PhantomCoils coils = receive_coils(ctx, scan.matrix, options.coils);
  std::map<int, Index> before;  // readouts of each slice
  ProgressStage progress(ctx, "phantom: readouts", static_cast<Index>(scan.frames.size()));
  for (ScanFrame& frame : scan.frames) {
    Index& count = before[frame.index.slice];
    measure_frame(ctx, phantom, coils, scan, count, frame);
    const Index length = frame.trajectory->readout_length;
    count += length > 0 ? frame.trajectory->samples() / length : 1;
    progress.advance();
  }
  return scan;
}

}  // namespace whorl
