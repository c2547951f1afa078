#include "whorl/phantom/phantom_scan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "math/decompositions.hpp"
#include "phantom/checks.hpp"
#include "phantom/evolving_samples.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/scan/prepare.hpp"
#include "whorl/scan/readout_times.hpp"
#include "whorl/trajectory/sample_times.hpp"

namespace whorl {
namespace {

using RowMajor = Eigen::Matrix<std::complex<double>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using RowMajorFloat = Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index most_noise_samples = Index{1} << 28;
constexpr Index most_coils = 1024;

void check_options(const PhantomScanOptions& options, Index channels) {
  if (!(options.noise_standard_deviation >= 0) || !std::isfinite(options.noise_standard_deviation)) {
    throw ValueError(fmt::format("phantom scan: expected a noise standard deviation >= 0, got {}",
                                 options.noise_standard_deviation));
  }
  if (options.noise_samples < 0 || options.noise_samples > most_noise_samples) {
    throw ValueError(
        fmt::format("phantom scan: expected 0 to {} noise samples, got {}", most_noise_samples, options.noise_samples));
  }
  if (!std::isfinite(options.echo_time_ms)) throw ValueError("phantom scan: an echo time that is not finite");
  if (options.evolving_points < 0 || options.evolving_points > 16) {
    throw ValueError(fmt::format("phantom scan: expected 0 to 16 points along each axis of a voxel, got {}",
                                 options.evolving_points));
  }
  if (options.noise_covariance != nullptr && options.noise_covariance->shape() != Shape{channels, channels}) {
    throw ShapeError(
        fmt::format("phantom scan: expected a noise covariance of shape [{0}, {0}], got {1}; it has a row "
                    "and a column for each coil",
                    channels, to_string(options.noise_covariance->shape())));
  }
}

void check_frames(const Scan& scan) {
  if (scan.frames.empty()) throw ValueError("phantom scan: expected a trajectory, got a scan without frames");
  for (const ScanFrame& frame : scan.frames) {
    if (frame.trajectory == nullptr) throw ValueError("phantom scan: expected a trajectory in each frame, got none");
    check_trajectory(frame.trajectory->points);
    detail::check_points(frame.trajectory->points, detail::matrix_dim(scan.matrix));
  }
}

// The matrix that gives white noise the wanted covariance: sd * L, with L L^H the covariance.
RowMajor coloring(const PhantomScanOptions& options, Index channels) {
  if (options.noise_covariance == nullptr) {
    return RowMajor::Identity(channels, channels) * options.noise_standard_deviation;
  }
  const Eigen::Map<const RowMajor> covariance(options.noise_covariance->data(), channels, channels);
  const std::optional<detail::Matrix<double>> lower = detail::cholesky(detail::Matrix<double>(covariance));
  // As exact as a covariance in single precision is.
  const bool hermitian = (covariance - covariance.adjoint()).norm() <= 1e-6 * covariance.norm();
  if (!hermitian || !lower) {
    throw ValueError("phantom scan: expected a Hermitian and positive definite noise covariance");
  }
  return RowMajor(*lower) * options.noise_standard_deviation;
}

void add_noise(const Context& ctx, const RowMajor& color, std::uint64_t seed, ArrayRef<std::complex<float>> data) {
  Array<std::complex<float>> white(ctx, data.shape());
  fill_random_normal<float>(ctx.host(), white, seed);
  const Eigen::Map<const RowMajorFloat> noise(white.data(), data.extent(0), data.extent(1));
  Eigen::Map<RowMajorFloat> target(data.data(), data.extent(0), data.extent(1));
  target += color.cast<std::complex<float>>() * noise;
}

Array<std::complex<float>> signal_of(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils,
                                     const Scan& scan, const Trajectory& trajectory,
                                     const PhantomScanOptions& options) {
  if (options.evolving_points == 0) return phantom_coil_samples<float>(ctx, phantom, coils, trajectory.points);
  const ReadoutTiming timing = readout_timing(scan);
  const Array<double> times =
      sample_times(ctx, trajectory, timing.start_us + 1e3 * options.echo_time_ms, timing.dwell_us);
  return detail::evolving_samples(ctx, phantom, coils, trajectory.points, times, options.evolving_points);
}

// Sets the data of all frames; frames with the same trajectory share the computation.
void add_signal(const Context& ctx, const Phantom& phantom, const PhantomCoils& coils, Scan& scan,
                const PhantomScanOptions& options) {
  for (std::size_t number = 0; number < scan.frames.size(); ++number) {
    ScanFrame& frame = scan.frames[number];
    const auto earlier = std::find_if(scan.frames.begin(), scan.frames.begin() + static_cast<std::ptrdiff_t>(number),
                                      [&](const ScanFrame& other) { return other.trajectory == frame.trajectory; });
    frame.data = &*earlier == &frame ? signal_of(ctx, phantom, coils, scan, *frame.trajectory, options)
                                     : clone(ctx, earlier->data.ref());
  }
}

}  // namespace

Scan phantom_scan(const Context& ctx, const Phantom& phantom, Scan scan, const PhantomScanOptions& options) {
  detail::check_phantom(phantom, scan.matrix);
  check_frames(scan);
  const PhantomCoils coils = receive_coils(ctx, scan.matrix, options.coils);
  const Index channels = coils.coefficients.extent(0);
  check_options(options, channels);
  const bool noisy = options.noise_standard_deviation > 0;
  const RowMajor color = noisy ? coloring(options, channels) : RowMajor();

  scan.source = phantom.name + " phantom";
  scan.coils = channels;
  remove_noise_scan(scan);
  scan.coil_maps = Array<std::complex<float>>();
  scan.notes.emplace_back("The data is computed from an analytic phantom, not measured.");
  for (ScanFrame& frame : scan.frames) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double& extent = frame.geometry.field_of_view_mm[axis];
      if (extent == 0) extent = static_cast<double>(scan.matrix[axis]);
    }
  }
  add_signal(ctx, phantom, coils, scan, options);
  if (options.evolving_points > 0 && options.echo_time_ms > 0) scan.echo_times_ms = {options.echo_time_ms};
  if (!noisy) return scan;
  // Stream 0 is that of the noise scan.
  for (std::size_t number = 0; number < scan.frames.size(); ++number) {
    add_noise(ctx, color, stream_seed(options.seed, number + 1), scan.frames[number].data);
  }
  if (options.noise_samples > 0) {
    scan.noise = zeros<std::complex<float>>(ctx, {channels, options.noise_samples});
    scan.noise_dwell_us = scan.dwell_us;
    add_noise(ctx, color, stream_seed(options.seed, 0), scan.noise);
  }
  return scan;
}

Array<std::complex<double>> ring_noise_covariance(const Context& ctx, Index coils, double correlation) {
  if (coils < 1 || coils > most_coils || !(correlation >= 0 && correlation < 1)) {
    throw ValueError(
        fmt::format("noise covariance: expected 1 to {} coils and a correlation of at least 0 and below 1, "
                    "got {} and {}",
                    most_coils, coils, correlation));
  }
  Array<std::complex<double>> covariance(ctx, {coils, coils});
  const auto c = covariance.view<2>();
  for (Index a = 0; a < coils; ++a) {
    for (Index b = 0; b < coils; ++b) {
      const Index apart = std::abs(a - b);
      c(a, b) = std::pow(correlation, static_cast<double>(std::min(apart, coils - apart)));
    }
  }
  return covariance;
}

}  // namespace whorl
