#include "whorl/trajectory/twisted_projection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/density_adapted_radial.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

GradientLimits sodium_on_cones() {
  return {.amplitude_mt_per_m = 8, .slew_t_per_m_s = 150, .gamma_mhz_per_t = 11.262, .pixel_mm = 4};
}

TEST(TwistedProjection, IsTheDensityAdaptedReadoutOnACone) {
  const Motion straight = density_adapted_motion(0.3, 3, sodium_on_cones());
  const double polar = 0.7;
  const Motion twisted = twisted_projection_motion(polar, 0.3, sodium_on_cones());
  EXPECT_EQ(twisted.duration_us, straight.duration_us);
  for (double t = 0; t <= twisted.duration_us; t += 13) {
    const KPoint k = twisted.position(t);
    const double radius = straight.position(t)[0];
    EXPECT_NEAR(std::hypot(k[0], k[1]), radius * std::sin(polar), 1e-15);
    EXPECT_NEAR(k[2], radius * std::cos(polar), 1e-15);
    if (radius < 0.15) {
      EXPECT_EQ(k[1], 0);
    }
  }
}

TEST(TwistedProjection, WithoutASlewLimitTheTwistIsBoadas) {
  GradientLimits limits = sodium_on_cones();
  limits.slew_t_per_m_s = 1e6;
  const double polar = 1.1;
  const Motion motion = twisted_projection_motion(polar, 0.4, limits);
  double turned = 0;
  KPoint before = motion.position(0);
  for (double t = 0.5; t <= motion.duration_us; t += 0.5) {
    const KPoint k = motion.position(t);
    turned += std::atan2(before[0] * k[1] - before[1] * k[0], before[0] * k[0] + before[1] * k[1]);
    before = k;
    const double x = std::hypot(k[0], k[1], k[2]) / 0.2;
    const double azimuth = x > 1 ? (std::sqrt(std::pow(x, 4) - 1) - std::acos(1 / (x * x))) / (2 * std::sin(polar)) : 0;
    // The onset, w ~ sqrt(t), is integrated in steps of a 20000th of the time by the trapezoidal rule: off by less than
    // one step of the rate, 1e-4; and the slew limit of 1e6 T/m/s delays it by its own little.
    EXPECT_NEAR(turned, azimuth, 1e-3) << t;
  }
  EXPECT_GT(turned, 2.5);  // it does wind: (sqrt(39) - acos(0.16)) / 2 sin 1.1 = 2.7
}

TEST(TwistedProjection, GradientIsFullWhereTheSlewRateAllows) {
  const Context ctx;
  const GradientLimits limits = sodium_on_cones();
  for (const double polar : {0.02, 0.3, pi / 2, 3.0}) {
    const std::array<Motion, 1> motions{with_ramp_down(twisted_projection_motion(polar, 0.3, limits), limits)};
    const Gradients gradients = make_gradients(ctx, motions, limits, 5, 3);
    const GradientPeaks peaks = gradient_peaks(ctx, gradients);
    EXPECT_LT(peaks.amplitude_mt_per_m, 8 * (1 + 1e-6)) << polar;
    // Steps of the integration are a 20000th of the time, 0.3 us: the slew of their middle holds to second order.
    EXPECT_LT(peaks.slew_t_per_m_s, 150 * 1.002) << polar;
    const auto g = gradients.mt_per_m.view<3>();
    const auto slew = slew_rates(ctx, gradients);
    Index at_limit = 0;
    for (Index i = 0; i < g.extent(1); ++i) {
      const double amplitude = std::hypot(g(0, i, 0), g(0, i, 1), g(0, i, 2));
      // A mean over a turning vector is shorter than it by (angle / raster)^2 / 24: 1e-3 at the turning rates here.
      if (amplitude > 8 * 0.998 || slew.view<2>()(0, i) > 150 * 0.99) ++at_limit;
    }
    // All but a few rasters where limits meet.
    EXPECT_GT(at_limit, g.extent(1) * 98 / 100) << polar;
  }
}

TEST(TwistedProjection, EndVelocityIsThatOfTheMotion) {
  const Motion motion = twisted_projection_motion(0.5, 0.3, sodium_on_cones());
  const KPoint end = motion.position(motion.duration_us);
  const KPoint before = motion.position(motion.duration_us - 0.1);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // A difference over 0.1 us at an acceleration of at most 150 T/m/s, 6.8e-6 cycles per pixel and us^2.
    EXPECT_NEAR(motion.end_velocity[axis], (end[axis] - before[axis]) / 0.1, 1e-6);
  }
}

TEST(TwistedProjection, ReadoutsPerConeFollowTheCircumference) {
  const Context ctx;
  const TwistedProjectionOptions options{.cones = 5, .fraction = 0.4, .matrix = 10, .reduction = 2};
  DesignOptions design;
  design.limits = sodium_on_cones();
  design.dwell_us = 50;
  const DesignedTrajectory made = twisted_projection(ctx, options, design);
  // pi 0.4 10 / 2 = 6.28 times the sines of 18, 54, 90, 126 and 162 degrees, rounded up.
  const std::array<Index, 5> expected{2, 6, 7, 6, 2};
  Index shots = 0;
  const auto k = made.trajectory.points.view<2>();
  const Index n = made.trajectory.readout_length;
  for (Index cone = 0; cone < 5; ++cone) {
    EXPECT_EQ(twisted_readouts(options, cone), expected[static_cast<std::size_t>(cone)]);
    for (Index readout = 0; readout < expected[static_cast<std::size_t>(cone)]; ++readout, ++shots) {
      // Sample 2 is at 100 us, before the twist: its azimuth is that of the readout.
      const double azimuth =
          2 * pi * static_cast<double>(readout) / static_cast<double>(expected[static_cast<std::size_t>(cone)]);
      EXPECT_NEAR(std::remainder(std::atan2(k(shots * n + 2, 1), k(shots * n + 2, 0)) - azimuth, 2 * pi), 0, 1e-12);
    }
  }
  EXPECT_EQ(made.trajectory.samples(), shots * n);
  EXPECT_EQ(made.gradients.mt_per_m.extent(0), 5);
  EXPECT_NO_THROW(check_trajectory(made.trajectory.points));
}

TEST(TwistedProjection, FullFractionHasNoTwist) {
  const Motion motion = twisted_projection_motion(1, 1, sodium_on_cones());
  EXPECT_EQ(motion.position(motion.duration_us)[1], 0);
}

TEST(TwistedProjection, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(twisted_projection_motion(0, 0.4, sodium_on_cones()), ValueError);
  EXPECT_THROW(twisted_projection_motion(pi, 0.4, sodium_on_cones()), ValueError);
  EXPECT_THROW(twisted_projection(ctx, {.cones = 0}, {}), ValueError);
  EXPECT_THROW(twisted_projection(ctx, {.matrix = -1}, {}), ValueError);
  EXPECT_THROW(twisted_projection(ctx, {.reduction = 0}, {}), ValueError);
  EXPECT_THROW(twisted_projection(ctx, {.fraction = 0}, {}), ValueError);
  EXPECT_THROW(twisted_projection(ctx, {.cones = 1000000}, {}), ValueError);
}

}  // namespace
}  // namespace whorl
