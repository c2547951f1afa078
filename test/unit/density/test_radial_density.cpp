#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "whorl/core/error.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

constexpr double pi = std::numbers::pi;

double sum(const Array<double>& weights) { return std::accumulate(weights.span().begin(), weights.span().end(), 0.0); }

// Center-out spokes in the directions of the kooshball and in the opposite ones, with the radii given.
Trajectory center_out(const Context& ctx, Index directions, const std::vector<double>& radii) {
  const Trajectory full = kooshball_trajectory(ctx, directions, 2);
  const auto readout = static_cast<Index>(radii.size());
  Trajectory trajectory{Array<double>(ctx, {2 * directions * readout, 3}), readout};
  const auto k = trajectory.points.view<2>();
  for (Index spoke = 0; spoke < 2 * directions; ++spoke) {
    const double sign = spoke % 2 == 0 ? 1 : -1;
    for (Index i = 0; i < readout; ++i) {
      for (Index axis = 0; axis < 3; ++axis) {
        // The first sample of a spoke of 2 lies at -1/2 of its direction.
        k(spoke * readout + i, axis) =
            -2 * sign * full.points.view<2>()(spoke / 2 * 2, axis) * radii[static_cast<std::size_t>(i)];
      }
    }
  }
  return trajectory;
}

TEST(RadialDensity, FullSpokesHaveTheAreasOfTheRings) {
  const Context ctx;
  for (const Index readout : {10, 11}) {
    const Index spokes = 7;
    const Array<double> weights =
        radial_density<double>(ctx, radial_trajectory(ctx, spokes, readout, SpokeOrder::uniform));
    ASSERT_EQ(weights.shape(), (Shape{spokes * readout}));
    // Sums of 77 numbers below 25: rounding stays below 1e-12.
    EXPECT_NEAR(sum(weights), static_cast<double>(spokes * readout), 1e-12);
    // Ring of radius m steps and width of one, shared by the two samples of each spoke; the disk in the middle by one.
    const double unit = weights.data()[readout / 2 + 1] / (2 * pi / 2);
    for (Index i = 0; i < spokes * readout; ++i) {
      const auto m = static_cast<double>(std::abs(i % readout - readout / 2));
      const double outer = pi * (m + 0.5) * (m + 0.5);
      const double area = m == 0 ? outer : (outer - pi * (m - 0.5) * (m - 0.5)) / 2;
      EXPECT_NEAR(weights.data()[i], unit * area, 1e-12);
    }
  }
}

// The weights turn a sum over samples into an integral: here of a Gaussian that is small at |k| = 0.5, whose integral
// is known. The rule of midpoints with step d errs by about d^2/24 times the second derivative; for exp(-k^2/s^2) with
// d = 1/64 and s = 0.15 that is below 0.2 %.
TEST(RadialDensity, WeightsIntegrate) {
  const Context ctx;
  const double s = 0.15;
  const auto integral = [&](const Trajectory& trajectory, double volume) {
    const Array<double> weights = radial_density<double>(ctx, trajectory);
    const auto k = trajectory.points.view<2>();
    double total = 0;
    for (Index i = 0; i < k.extent(0); ++i) {
      double square = 0;
      for (Index axis = 0; axis < k.extent(1); ++axis) square += k(i, axis) * k(i, axis);
      total += weights.data()[i] * std::exp(-square / (s * s));
    }
    return total * volume / static_cast<double>(k.extent(0));
  };
  // The cells reach half a step beyond the last sample.
  const double reach = 0.5 - 1.0 / 128;
  const Trajectory plane = radial_trajectory(ctx, 9, 65, SpokeOrder::golden_angle);
  const double reach_65 = 32.5 / 65;
  EXPECT_NEAR(integral(plane, pi * reach_65 * reach_65), pi * s * s, 2e-3 * pi * s * s);

  const double ball = 4 * pi / 3;
  const double expected = std::pow(std::sqrt(pi) * s, 3);
  const Trajectory full = kooshball_trajectory(ctx, 11, 65);
  EXPECT_NEAR(integral(full, ball * std::pow(reach_65, 3)), expected, 2e-3 * expected);

  std::vector<double> radii{0, 0, 0};  // a gradient that starts slowly, in steps that grow
  for (int i = 1; i < 32; ++i) radii.push_back((i < 8 ? i * i / 16.0 : i - 4.0) / 64);
  const double last = (radii[radii.size() - 1] * 3 - radii[radii.size() - 2]) / 2;
  EXPECT_NEAR(integral(center_out(ctx, 11, radii), ball * std::pow(last, 3)), expected, 2e-3 * expected);
  EXPECT_LT(last, reach);
}

TEST(RadialDensity, SamplesAtOnePlaceShare) {
  const Context ctx;
  const Array<double> weights = radial_density<double>(ctx, center_out(ctx, 1, {0, 0, 0.1, 0.2}));
  EXPECT_GT(weights.data()[0], 0);
  EXPECT_EQ(weights.data()[0], weights.data()[1]);
  // Two samples for the ball of radius 0.05, one for the shell from 0.05 to 0.15.
  EXPECT_NEAR(weights.data()[0] / weights.data()[2], 0.5 * 0.125e-3 / (3.375e-3 - 0.125e-3), 1e-12);
}

TEST(RadialDensity, FloatIsTheRoundedDouble) {
  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, 3, 8, SpokeOrder::uniform);
  const Array<double> exact = radial_density<double>(ctx, trajectory);
  const Array<float> rounded = radial_density<float>(ctx, trajectory);
  // The weights are rounded twice, before and after the normalization.
  for (Index i = 0; i < exact.size(); ++i) EXPECT_NEAR(rounded.data()[i], exact.data()[i], 2e-7 * exact.data()[i]);
}

TEST(RadialDensity, WhatIsNotRadialIsRefused) {
  const Context ctx;
  EXPECT_THROW(radial_density<float>(ctx, spiral_trajectory(ctx, 2, 20, 3)), ValueError);
  Trajectory trajectory = radial_trajectory(ctx, 3, 8, SpokeOrder::uniform);
  trajectory.readout_length = 0;
  EXPECT_THROW(radial_density<float>(ctx, trajectory), ValueError);
  trajectory.readout_length = 7;
  EXPECT_THROW(radial_density<float>(ctx, trajectory), ValueError);
  trajectory.readout_length = 8;
  trajectory.points.data()[2 * 8] += 0.02;  // first sample of the second spoke, 4 % off its line
  EXPECT_THROW(radial_density<float>(ctx, trajectory), ValueError);
  EXPECT_THROW(radial_density<float>(ctx, Trajectory{zeros<double>(ctx, {8, 2}), 8}), ValueError);
  Trajectory still{Array<double>(ctx, {4, 2}), 4};
  fill<double>(still.points, 0.25);
  EXPECT_THROW(radial_density<float>(ctx, still), ValueError);
}

TEST(NormalizeWeights, SumIsTheNumberOfSamples) {
  const Context ctx;
  Array<double> weights = zeros<double>(ctx, {5});
  weights.data()[1] = 3;
  weights.data()[4] = 7;
  normalize_weights<double>(weights);
  EXPECT_DOUBLE_EQ(weights.data()[1], 1.5);
  EXPECT_DOUBLE_EQ(weights.data()[4], 3.5);
}

TEST(NormalizeWeights, BadWeightsAreRefused) {
  const Context ctx;
  Array<float> weights = zeros<float>(ctx, {5});
  EXPECT_THROW(normalize_weights<float>(weights), ValueError);
  fill<float>(weights, 1);
  weights.data()[2] = -1;
  EXPECT_THROW(normalize_weights<float>(weights), ValueError);
  weights.data()[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(normalize_weights<float>(weights), ValueError);
}

}  // namespace
}  // namespace whorl
