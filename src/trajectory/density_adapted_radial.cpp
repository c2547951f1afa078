#include "whorl/trajectory/density_adapted_radial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trajectory/points.hpp"
#include "trajectory/readouts.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

Motion density_adapted_motion(double fraction, int dim, const GradientLimits& limits) {
  constexpr const char* operation = "density-adapted readout";
  check_gradient_limits(operation, limits);
  if (dim != 2 && dim != 3) throw ValueError(fmt::format("{}: expected 2 or 3 dimensions, got {}", operation, dim));
  if (!(fraction > 0 && fraction <= 1)) {
    throw ValueError(fmt::format("{}: expected a radial fraction above 0 and at most 1, got {}", operation, fraction));
  }
  const double speed = limits.speed();
  const double ramp = speed / limits.acceleration();
  const double k0 = fraction / 2;
  if (speed * ramp / 2 > k0) {
    throw ValueError(fmt::format(
        "{}: the gradient is still rising at the radial fraction {}; expected a fraction of at least {:.3g}, or a "
        "smaller gradient",
        operation, fraction, speed * ramp));
  }
  const double slew = limits.slew_t_per_m_s * (dim - 1) * speed / k0 * ramp;
  if (fraction < 1 && slew > limits.slew_t_per_m_s) {
    throw ValueError(
        fmt::format("{}: the density law needs a slew rate of {:.4g} T/m/s at the radial fraction {}, more than {:g}; "
                    "use a larger fraction or a smaller gradient",
                    operation, slew, fraction, limits.slew_t_per_m_s));
  }
  const double t0 = ramp / 2 + k0 / speed;
  const double inner = std::pow(k0, dim);
  const double growth = dim * std::pow(k0, dim - 1) * speed;
  const double duration = t0 + (std::pow(0.5, dim) - inner) / growth;
  const auto position = [=](double t) -> KPoint {
    if (t < ramp) return {speed * t * t / (2 * ramp), 0, 0};
    if (t < t0) return {speed * (t - ramp / 2), 0, 0};
    return {std::min(0.5, std::pow(inner + growth * (t - t0), 1.0 / dim)), 0, 0};
  };
  return {position, duration, {speed * std::pow(fraction, dim - 1), 0, 0}};
}

DesignedTrajectory density_adapted_radial(const Context& ctx, std::span<const std::array<double, 3>> directions,
                                          double fraction, int dim, const DesignOptions& options) {
  const std::array<Motion, 1> motions{density_adapted_motion(fraction, dim, options.limits)};
  const std::array<Shot, 1> along_x{};
  DesignedTrajectory spoke = sample_motions(ctx, motions, along_x, options, 1);
  const auto count = static_cast<Index>(directions.size());
  Trajectory trajectory =
      detail::make_readouts(ctx, "density-adapted readout", "directions", count, spoke.trajectory.readout_length, dim);
  const auto radius = spoke.trajectory.points.view<2>();
  const auto k = trajectory.points.view<2>();
  const Index samples = trajectory.readout_length;
  std::vector<PlayedWaveform> played;
  for (Index readout = 0; readout < count; ++readout) {
    const auto& direction = directions[static_cast<std::size_t>(readout)];
    const double length = dim == 3 ? detail::norm(direction) : std::hypot(direction[0], direction[1]);
    // Directions are made by sines and cosines.
    constexpr double rounding = 1e-9;
    if (!(std::abs(length - 1) < rounding)) {
      throw ValueError(
          fmt::format("density-adapted readout: direction {} has the length {}, expected 1", readout, length));
    }
    played.push_back({0, {KPoint{direction[0], direction[1], dim == 3 ? direction[2] : 0}}});
    for (Index i = 0; i < samples; ++i) {
      detail::ask_at(ctx, readout * samples + i);
      for (Index axis = 0; axis < dim; ++axis) {
        k(readout * samples + i, axis) = radius(i, 0) * direction[static_cast<std::size_t>(axis)];
      }
    }
  }
  return {std::move(trajectory), std::move(spoke.gradients), spoke.dwell_us, std::move(played), spoke.gamma_mhz_per_t};
}

}  // namespace whorl
