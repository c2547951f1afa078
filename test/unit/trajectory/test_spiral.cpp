#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

TEST(Spiral, RadiusGrowsWithTheAngleAndArmsAreTurned) {
  const Context ctx;
  const Index arms = 3;
  const Index samples = 401;
  const double turns = 5;
  const Trajectory trajectory = spiral_trajectory(ctx, arms, samples, turns);
  ASSERT_EQ(trajectory.points.shape(), (Shape{arms * samples, 2}));
  EXPECT_EQ(trajectory.readout_length, samples);
  EXPECT_NO_THROW(check_trajectory(trajectory.points));
  const auto k = trajectory.points.view<2>();
  const auto point = [&](Index arm, Index i) {
    return std::complex<double>(k(arm * samples + i, 0), k(arm * samples + i, 1));
  };
  // Angles are at most 2 pi 6, rounded to 4e-15; radii at most 0.5.
  constexpr double tolerance = 1e-14;
  const std::complex<double> third = std::polar(1.0, 2 * std::numbers::pi / 3);
  double angle = 0;
  for (Index i = 1; i < samples; ++i) {
    if (i > 1) angle += std::arg(point(0, i) / point(0, i - 1));
    // Archimedes: radius proportional to the angle. The sum of 400 differences is rounded 400 times.
    const double start = std::arg(point(0, 1));
    EXPECT_NEAR(std::abs(point(0, i)), (angle + start) / (2 * std::numbers::pi * turns) * 0.5, 1e-12);
    EXPECT_LT(std::abs(point(1, i) - third * point(0, i)), tolerance);
    EXPECT_LT(std::abs(point(2, i) - third * third * point(0, i)), tolerance);
  }
  EXPECT_EQ(std::abs(point(0, 0)), 0);
  EXPECT_NEAR(std::abs(point(2, samples - 1)), 0.5, tolerance);
  // One turn, 80 samples, later the radius is larger by arms times the distance of neighboring turns.
  EXPECT_NEAR(std::abs(point(0, 200)) - std::abs(point(0, 120)), 3 / (2 * turns * 3), tolerance);
}

TEST(Spiral, DensityFollowsThePower) {
  const Context ctx;
  const Index arms = 2;
  const Index samples = 1001;
  const double turns = 10;
  const double power = 2.5;
  const Trajectory trajectory = spiral_trajectory(ctx, arms, samples, turns, power);
  const auto k = trajectory.points.view<2>();
  const auto radius = [&](Index arm, Index i) { return std::hypot(k(arm * samples + i, 0), k(arm * samples + i, 1)); };
  for (Index i = 0; i < samples; ++i)
    EXPECT_NEAR(radius(1, i), std::pow(0.001 * static_cast<double>(i), 2.5) / 2, 1e-15);
  // A turn is 100 samples; two arms halve the distance. The last turn is a little narrower than the law at the edge, by
  // the curvature (power - 1) / (2 turns) of t^power.
  const double edge = (radius(0, 1000) - radius(0, 900)) / 2;
  EXPECT_NEAR(edge, largest_spiral_gap(arms, turns, power) * (1 - 1.5 / 20), 2e-3 * edge);
  const double middle = (radius(0, 550) - radius(0, 450)) / 2;
  EXPECT_NEAR(middle / largest_spiral_gap(arms, turns, power), std::pow(0.5, 1.5), 2e-3);
}

TEST(Spiral, DesignedArmsLieOnTheSpiralAndKeepTheLimits) {
  const Context ctx;
  const Index arms = 3;
  const double turns = 7;
  const double power = 1.4;
  DesignOptions options;
  options.limits.pixel_mm = 2;
  options.limits.amplitude_mt_per_m = 20;
  const DesignedTrajectory design = designed_spiral(ctx, arms, turns, power, options);
  const Trajectory& trajectory = design.trajectory;
  EXPECT_NO_THROW(check_trajectory(trajectory.points));
  const Index samples = trajectory.readout_length;
  const auto k = trajectory.points.view<2>();
  const auto point = [&](Index i) { return std::complex<double>(k(i, 0), k(i, 1)); };
  double angle = std::arg(point(1));
  // The positions are those that the waveforms play: up to gamma slew raster^2 / 2 from the curve, and as much again where
  // they are drawn back to the edge of k-space.
  const double played = options.limits.acceleration() * options.raster_us * options.raster_us;
  for (Index i = 2; i < samples; ++i) {
    angle += std::arg(point(i) / point(i - 1));
    // Where the angle is known the radius is: r = t^power / 2, angle = 2 pi turns t. An error e of the position turns the
    // angle by e / r, by which the radius of the law changes by power e / angle.
    if (angle > 1) {
      EXPECT_NEAR(std::abs(point(i)), std::pow(angle / (2 * std::numbers::pi * turns), power) / 2,
                  (1 + power) * played);
    }
    EXPECT_LT(std::abs(std::complex<double>(k(2 * samples + i, 0), k(2 * samples + i, 1)) -
                       std::polar(1.0, 4 * std::numbers::pi / 3) * point(i)),
              1e-14);
  }
  // The last sample is less than one dwell time from the end, at no more than the full speed.
  EXPECT_GT(std::abs(point(samples - 1)), 0.5 - options.limits.speed() * options.dwell_us);
  const GradientPeaks peaks = gradient_peaks(ctx, design.gradients);
  // 0.5 % is what minimum_time_motion promises.
  EXPECT_LT(peaks.slew_t_per_m_s, 150 * 1.005);
  EXPECT_GT(peaks.slew_t_per_m_s, 150 * 0.995);
  EXPECT_LT(peaks.amplitude_mt_per_m, 20 * (1 + 1e-9));
  EXPECT_GT(peaks.amplitude_mt_per_m, 20 * 0.995);
}

TEST(Spiral, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(spiral_trajectory(ctx, 0, 10, 1), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 1, 1), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 10, 0), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 10, 1, 0.9), ValueError);
  EXPECT_THROW(designed_spiral(ctx, 0, 1, 1, {}), ValueError);
  EXPECT_THROW(designed_spiral(ctx, 1, -1, 1, {}), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 10, std::numeric_limits<double>::infinity()), ValueError);
}

}  // namespace
}  // namespace whorl
