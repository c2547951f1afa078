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

TEST(Spiral, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(spiral_trajectory(ctx, 0, 10, 1), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 1, 1), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 10, 0), ValueError);
  EXPECT_THROW(spiral_trajectory(ctx, 1, 10, std::numeric_limits<double>::infinity()), ValueError);
}

}  // namespace
}  // namespace whorl
