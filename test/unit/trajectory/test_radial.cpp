#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "whorl/core/error.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

constexpr double pi = std::numbers::pi;

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

TEST(Kooshball, SpokesFollowTheGoldenMeans) {
  const Context ctx;
  const Index spokes = 200;
  const Index n = 7;
  const Trajectory trajectory = kooshball_trajectory(ctx, spokes, n);
  ASSERT_EQ(trajectory.points.shape(), (Shape{spokes * n, 3}));
  const auto k = trajectory.points.view<2>();
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const Index last = spoke * n + n - 1;
    const double radius = 3.0 / 7;
    const double norm = std::hypot(k(last, 0), k(last, 1), k(last, 2));
    EXPECT_NEAR(norm, radius, rounding);
    for (Index axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(k(spoke * n, axis), -k(last, axis), rounding);
      EXPECT_EQ(k(spoke * n + 3, axis), 0);
    }
    // The golden means to 12 digits: real root of g^3 = g^2 + 1, g = 1.465571231877; phi_1 = 1/g^2, phi_2 = 1/g.
    const double height = std::fmod(static_cast<double>(spoke) * 0.465571231877, 1.0);
    const double azimuth = 2 * pi * static_cast<double>(spoke) * 0.682327803828;
    EXPECT_NEAR(k(last, 2) / radius, height, 1e-9);
    const std::complex<double> in_plane(k(last, 0) / radius, k(last, 1) / radius);
    EXPECT_LT(std::abs(in_plane - std::polar(std::sqrt(1 - height * height), azimuth)), 1e-8);
  }
}

TEST(Radial, BadSizesAreRefused) {
  const Context ctx;
  EXPECT_THROW(radial_trajectory(ctx, 0, 8, SpokeOrder::uniform), ValueError);
  EXPECT_THROW(radial_trajectory(ctx, 3, 1, SpokeOrder::uniform), ValueError);
  EXPECT_THROW(kooshball_trajectory(ctx, -1, 8), ValueError);
}

}  // namespace
}  // namespace whorl
