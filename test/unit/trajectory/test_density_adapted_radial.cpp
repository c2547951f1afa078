#include "whorl/trajectory/density_adapted_radial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/kooshball.hpp"

namespace whorl {
namespace {

GradientLimits sodium() {
  return {.amplitude_mt_per_m = 10, .slew_t_per_m_s = 120, .gamma_mhz_per_t = 11.262, .pixel_mm = 4};
}

double radius_at(const Motion& motion, double t) { return motion.position(t)[0]; }

TEST(DensityAdaptedRadial, RampPlateauAndDensityLaw) {
  const GradientLimits limits = sodium();
  // Cycles per pixel and us: 11.262e6 * 10e-3 * 4e-3 * 1e-6.
  const double speed = 4.5048e-4;
  const double ramp = 10 / 0.120;  // us: mT/m over mT/m/us
  for (const int dim : {2, 3}) {
    const double fraction = 0.3;
    const Motion motion = density_adapted_motion(fraction, dim, limits);
    EXPECT_NEAR(radius_at(motion, 30), speed * 30 * 30 / (2 * ramp), 1e-14);
    EXPECT_NEAR(radius_at(motion, 200), speed * (200 - ramp / 2), 1e-14);
    EXPECT_NEAR(radius_at(motion, motion.duration_us), 0.5, 1e-12);
    const double t0 = ramp / 2 + 0.15 / speed;
    EXPECT_NEAR(radius_at(motion, t0), 0.15, 1e-14);
    // k^(d-1) dk/dt is what it is at k0; central differences over 2 us are off by k''' / (6 k') of it, which is
    // largest at k0: 3 or 10 (v / k0)^2 / 6 for d = 2 or 3, at most 1.51e-5.
    for (double t = t0 + 1; t < motion.duration_us - 1; t += 37) {
      const double slope = (radius_at(motion, t + 1) - radius_at(motion, t - 1)) / 2;
      const double density = std::pow(radius_at(motion, t), dim - 1) * slope;
      EXPECT_NEAR(density / (std::pow(0.15, dim - 1) * speed), 1, 1.6e-5) << t;
    }
    const double last = (radius_at(motion, motion.duration_us) - radius_at(motion, motion.duration_us - 0.1)) / 0.1;
    EXPECT_NEAR(motion.end_velocity[0] / last, 1, 1e-3);
    // Nagel et al., eq. 2: the readout time follows from the law.
    const double law = (std::pow(0.5, dim) - std::pow(0.15, dim)) / (dim * std::pow(0.15, dim - 1) * speed);
    EXPECT_NEAR(motion.duration_us, t0 + law, 1e-8);
  }
}

TEST(DensityAdaptedRadial, ReadoutsAndWaveform) {
  const Context ctx;
  DesignOptions options;
  options.limits = sodium();
  options.dwell_us = 20;
  const auto directions = kooshball_directions(7, {.center_out = true});
  const DesignedTrajectory design = density_adapted_radial(ctx, directions, 0.4, 3, options);
  const Motion motion = density_adapted_motion(0.4, 3, options.limits);
  const Index n = design.trajectory.readout_length;
  EXPECT_EQ(n, static_cast<Index>(std::ceil(motion.duration_us / 20)));
  ASSERT_EQ(design.trajectory.points.shape(), (Shape{7 * n, 3}));
  const auto k = design.trajectory.points.view<2>();
  // The positions are those that the waveforms play: up to gamma slew raster^2 / 2 from the curve, and as much again where
  // they are drawn back to the edge of k-space.
  const double played = options.limits.acceleration() * options.raster_us * options.raster_us;
  for (Index sample = 0; sample < 7 * n; ++sample) {
    for (Index axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(k(sample, axis),
                  radius_at(motion, 20.0 * static_cast<double>(sample % n)) *
                      directions[static_cast<std::size_t>(sample / n)][static_cast<std::size_t>(axis)],
                  played);
    }
  }
  EXPECT_EQ(design.gradients.mt_per_m.extent(2), 1);
  const GradientPeaks peaks = gradient_peaks(ctx, design.gradients);
  // Means over rasters of exact motions: only rounding is left.
  EXPECT_NEAR(peaks.amplitude_mt_per_m, 10, 1e-9);
  EXPECT_NEAR(peaks.slew_t_per_m_s, 120, 1e-6);
}

TEST(DensityAdaptedRadial, WholeRadiusAtFullGradientIsASpoke) {
  const Motion motion = density_adapted_motion(1, 3, sodium());
  EXPECT_NEAR(motion.duration_us, 10 / 0.120 / 2 + 0.5 / 4.5048e-4, 1e-9);
}

TEST(DensityAdaptedRadial, WhatCanNotBeIsRefusedWithAdvice) {
  const GradientLimits limits = sodium();
  EXPECT_THROW(density_adapted_motion(0.3, 4, limits), ValueError);
  EXPECT_THROW(density_adapted_motion(0, 3, limits), ValueError);
  EXPECT_THROW(density_adapted_motion(1.1, 3, limits), ValueError);
  const auto message = [](double fraction, const GradientLimits& bad) -> std::string {
    try {
      density_adapted_motion(fraction, 3, bad);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message(0.01, limits).find("still rising"), std::string::npos);
  GradientLimits strong = limits;
  strong.amplitude_mt_per_m = 40;
  // The gradient rises in 333 us over 0.3 cycles per pixel, a fraction of 0.6; the law asks for 2 v / k0 G there,
  // 2 * 1.80192e-3 / 0.3025 * 40 mT/m/us.
  EXPECT_NE(message(0.605, strong).find("density law needs a slew rate of 476.5"), std::string::npos)
      << message(0.605, strong);
  DesignOptions options;
  options.limits = limits;
  const Context ctx;
  EXPECT_THROW(density_adapted_radial(ctx, {}, 0.4, 3, options), ValueError);
  const std::vector<std::array<double, 3>> longer{{1, 0, 0}, {0, 0, 1.1}};
  EXPECT_THROW(density_adapted_radial(ctx, longer, 0.4, 3, options), ValueError);
}

}  // namespace
}  // namespace whorl
