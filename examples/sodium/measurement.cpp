#include "measurement.hpp"

#include <algorithm>
#include <numbers>

#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/sample_times.hpp"
#include "whorl/trajectory/twisted_projection.hpp"

namespace sodium {

namespace {

using Complex = std::complex<float>;
using whorl::Array;
using whorl::Context;
using whorl::Index;

// Full sampling: pi N / 2 cones, and as many readouts on each as the twist needs. The gradient is the one that takes
// the readout's time, k0 / v + (k1^3 - k0^3) / (3 k0^2 v) with k0 = p / 2 and k1 = 1/2, but for the ramp.
whorl::DesignedTrajectory design(const Context& ctx, const ScanSettings& settings) {
  whorl::TwistedProjectionOptions options;
  options.fraction = 0.4;
  options.cones = static_cast<Index>(std::numbers::pi / 2 * static_cast<double>(settings.size));
  options.matrix = static_cast<double>(settings.size);
  options.reduction = settings.reduction;
  whorl::DesignOptions limits;
  limits.dwell_us = settings.dwell_us;
  limits.limits.gamma_mhz_per_t = whorl::gyromagnetic_ratio("23Na");
  limits.limits.pixel_mm = field_of_view_mm / static_cast<double>(settings.size);
  const double k0 = options.fraction / 2;
  const double length = k0 + (0.125 - k0 * k0 * k0) / (3 * k0 * k0);
  limits.limits.amplitude_mt_per_m = length / (1e3 * settings.readout_ms) * limits.limits.amplitude_per_speed();
  return whorl::twisted_projection(ctx, options, limits);
}

// The readouts of one of several scans.
whorl::Trajectory readouts_of(const Context& host, const whorl::Trajectory& all, const ScanSettings& settings) {
  const Index length = all.readout_length;
  const Index count = (all.samples() / length - settings.number + settings.scans - 1) / settings.scans;
  whorl::Trajectory own{Array<double>(host, {count * length, 3}), length};
  for (Index r = 0; r < count; ++r) {
    const Index from = (r * settings.scans + settings.number) * length;
    std::copy_n(all.points.data() + 3 * from, 3 * length, own.points.data() + 3 * r * length);
  }
  return own;
}

// Its coils, in a ring of those of all scans.
whorl::PhantomCoils coils_of(const Context& host, const ScanSettings& settings) {
  const std::array<Index, 3> matrix{settings.size, settings.size, settings.size};
  whorl::PhantomCoils ring = whorl::make_phantom_coils(host, matrix, settings.coils * settings.scans);
  const Index terms = ring.coefficients.extent(1);
  Array<std::complex<double>> own(host, {settings.coils, terms});
  for (Index c = 0; c < settings.coils; ++c) {
    const auto from = ring.coefficients.slice(c * settings.scans + settings.number);
    whorl::copy<std::complex<double>>(from, own.slice(c));
  }
  ring.coefficients = std::move(own);
  return ring;
}

}  // namespace

Measurement measure(const Context& ctx, const Head& head, const ScanSettings& settings) {
  const Context host = ctx.host();
  const whorl::DesignedTrajectory designed = design(host, settings);
  whorl::Trajectory trajectory = readouts_of(host, designed.trajectory, settings);
  Measurement scan;
  scan.times = whorl::sample_times(host, trajectory, 1e3 * settings.echo_ms, settings.dwell_us);
  scan.readouts = trajectory.samples() / trajectory.readout_length;
  scan.gradient_mt_per_m = whorl::gradient_peaks(host, designed.gradients).amplitude_mt_per_m;
  scan.points = std::move(trajectory.points);

  const whorl::PhantomCoils coils = coils_of(host, settings);
  scan.maps = whorl::clone(ctx, whorl::phantom_coil_maps<float>(host, coils));

  auto data = whorl::zeros<Complex>(host, {settings.coils, scan.times.size()});
  whorl::ProgressStage stage(ctx, "measuring the head", static_cast<Index>(head.tissues.size()));
  for (std::size_t k = 0; k < head.tissues.size(); ++k) {
    Array<Complex> samples = whorl::phantom_coil_samples<float>(host, head.portions[k], coils, scan.points);
    Array<float> decay(host, scan.times.shape());
    for (Index j = 0; j < decay.size(); ++j) {
      decay.data()[j] = static_cast<float>(head.tissues[k].concentration *
                                           whorl::decay_at(head.tissues[k].decay, scan.times.data()[j]));
    }
    whorl::multiply_weights(host, decay, samples, samples);
    whorl::axpby(host, 1, samples, 1, data);
    stage.advance();
  }
  scan.data = whorl::clone(ctx, data.ref());
  return scan;
}

Array<Complex> noise_of(const Context& ctx, const Measurement& scan, double standard_deviation, std::uint64_t replica) {
  Array<Complex> noise(ctx.host(), scan.data.shape());
  whorl::fill_random_normal<float>(noise, replica);
  for (Complex& value : noise.span()) value *= static_cast<float>(standard_deviation);
  return whorl::clone(ctx, noise.ref());
}

}  // namespace sodium
