#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

// Radii are at most 0.5 and come from one product, so a few units in the last place of 1 are enough.
constexpr double rounding = 1e-15;

void expect_spoke(const Trajectory& trajectory, Index spoke, double angle) {
  const auto k = trajectory.points.view<2>();
  const Index n = trajectory.readout_length;
  for (Index i = 0; i < n; ++i) {
    const double radius = (static_cast<double>(i) - std::floor(static_cast<double>(n) / 2)) / static_cast<double>(n);
    // The angle itself is rounded: up to 100 turns in units of 2e-16.
    EXPECT_NEAR(k(spoke * n + i, 0), radius * std::cos(angle), 1e-13);
    EXPECT_NEAR(k(spoke * n + i, 1), radius * std::sin(angle), 1e-13);
  }
}

TEST(Radial, UniformSpokesFollowTheDefinition) {
  const Context ctx;
  for (const Index readout : {8, 9}) {
    const Trajectory trajectory = radial_trajectory(ctx, 5, readout, SpokeOrder::uniform);
    ASSERT_EQ(trajectory.points.shape(), (Shape{5 * readout, 2}));
    EXPECT_EQ(trajectory.readout_length, readout);
    for (Index spoke = 0; spoke < 5; ++spoke) expect_spoke(trajectory, spoke, pi * static_cast<double>(spoke) / 5);
    EXPECT_NO_THROW(check_trajectory(trajectory.points));
  }
}

TEST(Radial, GoldenAngleIs111Degrees) {
  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, 34, 16, SpokeOrder::golden_angle);
  // Winkelmann et al. (2007): 111.246 degrees, here with more digits: 180 (sqrt(5) - 1) / 2.
  for (Index spoke = 0; spoke < 34; ++spoke) {
    expect_spoke(trajectory, spoke, static_cast<double>(spoke) * 111.24611797498108 * pi / 180);
  }
}

TEST(Radial, CenterOutSpokesLookEverywhere) {
  const Context ctx;
  const Index spokes = 7;
  const Index n = 6;
  const Trajectory trajectory = radial_trajectory(ctx, spokes, n, SpokeOrder::uniform, {.center_out = true});
  const auto k = trajectory.points.view<2>();
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double angle = 2 * pi * static_cast<double>(spoke) / 7;
    for (Index i = 0; i < n; ++i) {
      const double radius = static_cast<double>(i) / 12;
      EXPECT_NEAR(k(spoke * n + i, 0), radius * std::cos(angle), rounding);
      EXPECT_NEAR(k(spoke * n + i, 1), radius * std::sin(angle), rounding);
    }
  }
  // Over the whole circle a golden angle is twice that of full spokes.
  const Trajectory golden =
      radial_trajectory(ctx, 2, n, SpokeOrder::golden_angle, {.golden_index = 7, .center_out = true});
  const auto g = golden.points.view<2>();
  EXPECT_NEAR(std::atan2(g(2 * n - 1, 1), g(2 * n - 1, 0)) * 180 / pi, 2 * 23.6281, 1e-3);
}

TEST(Radial, FibonacciOrderReachesTheSpokes) {
  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, 8, 4, SpokeOrder::fibonacci);
  for (Index spoke = 0; spoke < 8; ++spoke)
    expect_spoke(trajectory, spoke, pi * static_cast<double>(5 * spoke % 16) / 8);
}

TEST(Radial, BadSizesAreRefused) {
  const Context ctx;
  EXPECT_THROW(radial_trajectory(ctx, 0, 8, SpokeOrder::uniform), ValueError);
  EXPECT_THROW(radial_trajectory(ctx, 3, 1, SpokeOrder::uniform), ValueError);
  EXPECT_THROW(radial_trajectory(ctx, Index{1} << 20, Index{1} << 20, SpokeOrder::uniform), ValueError);
}

}  // namespace
}  // namespace whorl
