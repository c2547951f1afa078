#include "whorl/trajectory/rosette.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using Point = std::complex<double>;

TEST(Rosette, FollowsItsDefinition) {
  const Context ctx;
  const Index samples = 120;
  const Trajectory trajectory = rosette_trajectory(ctx, 2, samples, 5, 3);
  ASSERT_EQ(trajectory.points.shape(), (Shape{2 * samples, 2}));
  EXPECT_EQ(trajectory.readout_length, samples);
  EXPECT_NO_THROW(check_trajectory(trajectory.points));
  const auto k = trajectory.points.view<2>();
  for (Index shot = 0; shot < 2; ++shot) {
    for (Index i = 0; i < samples; ++i) {
      const double t = static_cast<double>(i) / 120;
      // Two shots of ten petals each: 36 degrees between petals, 18 between shots.
      const Point expected =
          std::polar(1.0, 6 * pi * t + static_cast<double>(shot) * pi / 10) * 0.5 * std::sin(10 * pi * t);
      EXPECT_LT(std::abs(Point(k(shot * samples + i, 0), k(shot * samples + i, 1)) - expected), 1e-14);
    }
  }
  // Every tenth of the time it is at the center, in between at the edge.
  for (Index swing = 0; swing < 10; ++swing) {
    EXPECT_LT(std::hypot(k(12 * swing, 0), k(12 * swing, 1)), 1e-15);
    EXPECT_NEAR(std::hypot(k(12 * swing + 6, 0), k(12 * swing + 6, 1)), 0.5, 1e-15);
  }
}

TEST(Rosette, DesignKeepsTheCurveAndTheLimits) {
  const Context ctx;
  DesignOptions options;
  options.limits.pixel_mm = 4;
  options.end = GradientEnd::rewind;
  const DesignedTrajectory design = designed_rosette(ctx, 3, 2, 1, options);
  EXPECT_NO_THROW(check_trajectory(design.trajectory.points));
  EXPECT_EQ(design.trajectory.samples() % 3, 0);
  const auto k = design.trajectory.points.view<2>();
  // sin(4 pi t) e^(2 pi i t) / 2: with u = 2 pi t, k = sin(2u)/2 e^(iu), so (kx^2 + ky^2)^3 = kx^2 ky^2, the
  // quadrifolium of radius 0.5.
  // The positions are those that the waveforms play: up to gamma slew raster^2 / 2 from the curve, and as much again where
  // they are drawn back to the edge of k-space.
  // The two sides differ by at most 6 r^5 + 2 r^3 < 1/2 of a distance.
  const double played = options.limits.acceleration() * options.raster_us * options.raster_us;
  for (Index i = 0; i < design.trajectory.readout_length; ++i) {
    const double x = k(i, 0);
    const double y = k(i, 1);
    EXPECT_NEAR(std::pow(x * x + y * y, 3), x * x * y * y, played / 2);
  }
  const GradientPeaks peaks = gradient_peaks(ctx, design.gradients);
  EXPECT_LT(peaks.slew_t_per_m_s, 150 * 1.005);
  EXPECT_LT(peaks.amplitude_mt_per_m, 40 * (1 + 1e-9));
  const auto turned = [&](Index shot, Index i) {
    const Index sample = shot * design.trajectory.readout_length + i;
    return Point(k(sample, 0), k(sample, 1));
  };
  EXPECT_LT(std::abs(turned(2, 50) - turned(0, 50) * std::polar(1.0, 2 * pi / 6)), 1e-15);
}

TEST(Rosette, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(rosette_trajectory(ctx, 0, 8, 1, 1), ValueError);
  EXPECT_THROW(rosette_trajectory(ctx, 1, 1, 1, 1), ValueError);
  EXPECT_THROW(rosette_trajectory(ctx, 1, 8, 0, 1), ValueError);
  EXPECT_THROW(rosette_trajectory(ctx, 1, 8, 1, -2), ValueError);
  EXPECT_THROW(designed_rosette(ctx, 0, 1, 1, {}), ValueError);
}

}  // namespace
}  // namespace whorl
