#include "whorl/trajectory/propeller.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;
using Point = std::complex<double>;

TEST(Propeller, BladesAreTurnedGrids) {
  const Context ctx;
  const Index blades = 5;
  const Index lines = 4;
  const Index n = 6;
  const Trajectory trajectory =
      propeller_trajectory(ctx, {.blades = blades, .lines = lines, .readout = n, .matrix = 16});
  ASSERT_EQ(trajectory.points.shape(), (Shape{blades * lines * n, 2}));
  EXPECT_EQ(trajectory.readout_length, n);
  EXPECT_NO_THROW(check_trajectory(trajectory.points));
  const auto k = trajectory.points.view<2>();
  double farthest = 0;
  for (Index sample = 0; sample < trajectory.samples(); ++sample) {
    const Point at(k(sample, 0), k(sample, 1));
    farthest = std::max(farthest, std::abs(at));
    const Point blade = at * std::polar(1.0, -pi * static_cast<double>(sample / (lines * n)) / 5);
    // Lines at -1.5, -0.5, 0.5, 1.5 in steps of 1/16; on each, steps of 1/3 of the half length.
    EXPECT_NEAR(blade.imag(), (static_cast<double>(sample / n % lines) - 1.5) / 16, 1e-15);
    EXPECT_NEAR(blade.real(), std::sqrt(0.25 - 1.5 * 1.5 / 256) * static_cast<double>(sample % n - 3) / 3, 1e-15);
  }
  EXPECT_NEAR(farthest, 0.5, 1e-15);  // the first sample of an outer line
}

TEST(Propeller, GoldenBladesTurnByTheGoldenAngle) {
  const Context ctx;
  const Trajectory trajectory = propeller_trajectory(
      ctx, {.blades = 2, .lines = 1, .readout = 4, .matrix = 8, .order = SpokeOrder::golden_angle, .golden_index = 2});
  const auto k = trajectory.points.view<2>();
  EXPECT_NEAR(std::atan2(k(7, 1), k(7, 0)) * 180 / pi, 68.7539, 1e-4);
}

TEST(Propeller, CoveredRadiusIsWhereNeighboringBladesPart) {
  // Blades 0.25 wide at 30 degrees from each other: their edges cross at 0.125 / sin(15 degrees).
  EXPECT_NEAR(propeller_covered_radius({.blades = 6, .lines = 8, .matrix = 32}), 0.125 / std::sin(pi / 12), 1e-15);
  EXPECT_EQ(propeller_covered_radius({.blades = 40, .lines = 8, .matrix = 32}), 0.5);
  EXPECT_NEAR(propeller_covered_radius({.blades = 1, .lines = 8, .matrix = 32}), 0.125, 1e-15);
}

TEST(Propeller, BadParametersAreRefused) {
  const Context ctx;
  EXPECT_THROW(propeller_trajectory(ctx, {.blades = 0}), ValueError);
  EXPECT_THROW(propeller_trajectory(ctx, {.lines = 0}), ValueError);
  EXPECT_THROW(propeller_trajectory(ctx, {.readout = 1}), ValueError);
  EXPECT_THROW(propeller_trajectory(ctx, {.matrix = -1}), ValueError);
  EXPECT_THROW(propeller_trajectory(ctx, {.lines = 9, .matrix = 8}), ValueError);
}

}  // namespace
}  // namespace whorl
