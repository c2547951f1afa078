#include <gtest/gtest.h>

#include <algorithm>
#include <array>
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

using std::numbers::pi;

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

// An image of so few pixels that the readout is oversampled without end: there the center's weight is the 1/6 of Euler
// and Maclaurin.
const Shape one_pixel{1, 1};
const Shape one_voxel{1, 1, 1};

TEST(RadialDensity, FullSpokesInThePlaneHaveTheRampAndASixth) {
  const Context ctx;
  for (const Index readout : {10, 11}) {
    const Index spokes = 7;
    const Array<double> weights =
        radial_density<double>(ctx, radial_trajectory(ctx, spokes, readout, SpokeOrder::uniform), one_pixel);
    ASSERT_EQ(weights.shape(), (Shape{spokes * readout}));
    // Sums of 77 numbers below 25: rounding stays below 1e-12.
    EXPECT_NEAR(sum(weights), static_cast<double>(spokes * readout), 1e-12);
    const double unit = weights.data()[readout / 2 + 1];
    for (Index i = 0; i < spokes * readout; ++i) {
      const auto m = static_cast<double>(std::abs(i % readout - readout / 2));
      // The center's weight grows with the square of the step in cycles per field of view, 0.33 times the mean square
      // of (0.9 h x) over the distances x of two points of a disc, which is 1/8: 4e-4 for h = 1/10.
      EXPECT_NEAR(weights.data()[i], unit * (m == 0 ? 1.0 / 6 : m), unit * (m == 0 ? 4e-4 : 1e-12));
    }
  }
}

TEST(RadialDensity, FullSpokesInSpaceHaveTheSquareAndNoCenter) {
  const Context ctx;
  const Array<double> weights = radial_density<double>(ctx, kooshball_trajectory(ctx, 12, 9), {8, 8, 8});
  for (Index spoke = 0; spoke < 12; ++spoke) {
    const double* const w = weights.data() + 9 * spoke;
    for (Index i = 0; i < 9; ++i) EXPECT_NEAR(w[i], w[5] * static_cast<double>((i - 4) * (i - 4)), 1e-10);
  }
}

// The weights turn a sum over samples into an integral: here of Gaussians exp(-k^2/s^2), whose integrals go as s^dim.
// At |k| = 1/2 they are below 2e-5. The error of the formula of Euler and Maclaurin is that of its next term,
// h^4 / (60 s^4) of the integral, 3e-6 for h = 1/65 and s = 0.08.
TEST(RadialDensity, WeightsIntegrate) {
  const Context ctx;
  const auto ratio = [&](const Trajectory& trajectory, const Shape& image) {
    const Array<double> weights = radial_density<double>(ctx, trajectory, image);
    const auto k = trajectory.points.view<2>();
    std::array<double, 2> total{};
    for (Index i = 0; i < k.extent(0); ++i) {
      double square = 0;
      for (Index axis = 0; axis < k.extent(1); ++axis) square += k(i, axis) * k(i, axis);
      total[0] += weights.data()[i] * std::exp(-square / (0.15 * 0.15));
      total[1] += weights.data()[i] * std::exp(-square / (0.08 * 0.08));
    }
    return total[0] / total[1];
  };
  const double plane = std::pow(0.15 / 0.08, 2);
  const double space = std::pow(0.15 / 0.08, 3);
  for (const double shift : {0.0, 0.3, 0.5, 0.8}) {  // of all samples along their spokes, in steps
    Trajectory star = radial_trajectory(ctx, 9, 65, SpokeOrder::golden_angle);
    Trajectory ball = kooshball_trajectory(ctx, 11, 65);
    for (Trajectory* trajectory : {&star, &ball}) {
      const auto k = trajectory->points.view<2>();
      for (Index first = 0; first < k.extent(0); first += 65) {
        for (Index axis = 0; axis < k.extent(1); ++axis) {
          const double step = k(first + 1, axis) - k(first, axis);
          for (Index i = first; i < first + 65; ++i) k(i, axis) += shift * step;
        }
      }
      // What a shift leaves out at one end is below 1e-5 of the sum there.
      for (Index i = 0; i < k.extent(0); ++i) {
        for (Index axis = 0; axis < k.extent(1); ++axis) k(i, axis) = std::clamp(k(i, axis), -0.5, 0.5);
      }
    }
    EXPECT_NEAR(ratio(star, one_pixel), plane, 1e-4 * plane) << shift;
    EXPECT_NEAR(ratio(ball, one_voxel), space, 1e-4 * space) << shift;
  }
  std::vector<double> even;
  std::vector<double> later;
  std::vector<double> slow{0, 0, 0};  // a gradient that starts slowly, in steps that grow
  for (int i = 0; i < 32; ++i) even.push_back(i / 65.0);
  for (int i = 0; i < 32; ++i) later.push_back((i + 0.25) / 65.0);
  for (int i = 1; i < 32; ++i) slow.push_back((i < 8 ? i * i / 16.0 : i - 4.0) / 64);
  // The spokes end half a step beyond 31/65, where the wider Gaussian has 1.1e-4 of its integral left.
  EXPECT_NEAR(ratio(center_out(ctx, 11, even), one_voxel), space, 2e-4 * space);
  EXPECT_NEAR(ratio(center_out(ctx, 11, later), one_voxel), space, 2e-4 * space);
  // Where the steps stop to grow the second derivative jumps, by 1/8 step: 1/12 of that times the integrand is left.
  EXPECT_NEAR(ratio(center_out(ctx, 11, slow), one_voxel), space, 2e-3 * space);
}

TEST(RadialDensity, SamplesAtOnePlaceShare) {
  const Context ctx;
  const Array<double> alone = radial_density<double>(ctx, center_out(ctx, 3, {0, 0.1, 0.2}), one_voxel);
  const Array<double> twice = radial_density<double>(ctx, center_out(ctx, 3, {0, 0.1, 0.1, 0.2}), one_voxel);
  EXPECT_GT(twice.data()[1], 0);
  EXPECT_EQ(twice.data()[1], twice.data()[2]);
  EXPECT_NEAR(twice.data()[1] / twice.data()[3], 0.5 * alone.data()[1] / alone.data()[2], 1e-12);
}

// Spokes at 0, 10 and 90 degrees: half the gaps are 50, 45 and 85 degrees.
TEST(RadialDensity, UnevenAnglesCountByTheirGaps) {
  const Context ctx;
  Trajectory trajectory{Array<double>(ctx, {3 * 8, 2}), 8};
  const std::array<double, 3> degrees{0, 10, 90};
  for (Index j = 0; j < 24; ++j) {
    const double radius = static_cast<double>(j % 8 - 4) / 8;
    const double angle = degrees[static_cast<std::size_t>(j / 8)] * pi / 180;
    trajectory.points.data()[2 * j] = radius * std::cos(angle);
    trajectory.points.data()[2 * j + 1] = radius * std::sin(angle);
  }
  const Array<double> weights = radial_density<double>(ctx, trajectory, {8, 8});
  for (Index i = 0; i < 8; ++i) {
    EXPECT_NEAR(weights.data()[8 + i] / weights.data()[i], 45.0 / 50, 1e-12) << i;
    EXPECT_NEAR(weights.data()[16 + i] / weights.data()[i], 85.0 / 50, 1e-12) << i;
  }
}

// Asymmetric echoes from all around: within the short side's reach each direction is there twice, beyond it once.
TEST(RadialDensity, ShortSidesOfEchoesShareAsFarAsTheyReach) {
  const Context ctx;
  constexpr Index spokes = 10;
  constexpr Index readout = 20;  // radii of -4 to 15 steps
  Trajectory trajectory{Array<double>(ctx, {spokes * readout, 2}), readout};
  for (Index j = 0; j < spokes * readout; ++j) {
    const double radius = static_cast<double>(j % readout - 4) / 32;
    // An even number, so that the short side of one lies on the long side of another.
    const double angle = 2 * pi * static_cast<double>(j / readout) / spokes;
    trajectory.points.data()[2 * j] = radius * std::cos(angle);
    trajectory.points.data()[2 * j + 1] = radius * std::sin(angle);
  }
  const Array<double> weights = radial_density<double>(ctx, trajectory, {16, 16});
  // Per radius and step: 1/2 within, 1 beyond.
  EXPECT_NEAR(weights.data()[0] / 4, weights.data()[8] / 4, 1e-12);
  EXPECT_NEAR((weights.data()[4 + 10] / 10) / (weights.data()[4 + 3] / 3), 2, 1e-12);
}

TEST(RadialDensity, FloatIsTheRoundedDouble) {
  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, 3, 8, SpokeOrder::uniform);
  const Array<double> exact = radial_density<double>(ctx, trajectory, {4, 4});
  const Array<float> rounded = radial_density<float>(ctx, trajectory, {4, 4});
  // The weights are rounded twice, before and after the normalization.
  for (Index i = 0; i < exact.size(); ++i) EXPECT_NEAR(rounded.data()[i], exact.data()[i], 2e-7 * exact.data()[i]);
}

TEST(RadialDensity, WhatIsNotRadialIsRefused) {
  const Context ctx;
  const Shape image{8, 8};
  EXPECT_THROW(radial_density<float>(ctx, spiral_trajectory(ctx, 2, 20, 3), image), ValueError);
  Trajectory trajectory = radial_trajectory(ctx, 3, 8, SpokeOrder::uniform);
  trajectory.readout_length = 0;
  EXPECT_THROW(radial_density<float>(ctx, trajectory, image), ValueError);
  trajectory.readout_length = 7;
  EXPECT_THROW(radial_density<float>(ctx, trajectory, image), ValueError);
  trajectory.readout_length = 8;
  trajectory.points.data()[2 * 8] += 0.02;  // first sample of the second spoke, 4 % off its line
  EXPECT_THROW(radial_density<float>(ctx, trajectory, image), ValueError);
  EXPECT_THROW(radial_density<float>(ctx, Trajectory{zeros<double>(ctx, {8, 2}), 8}, image), ValueError);
  Trajectory still{Array<double>(ctx, {4, 2}), 4};
  fill<double>(still.points, 0.25);
  EXPECT_THROW(radial_density<float>(ctx, still, image), ValueError);
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
