#include "whorl/trajectory/kooshball.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

// Radii are at most 0.5 and come from one product, so a few units in the last place of 1 are enough.
constexpr double point_rounding = 1e-15;

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
    EXPECT_NEAR(norm, radius, point_rounding);
    for (Index axis = 0; axis < 3; ++axis) {
      EXPECT_NEAR(k(spoke * n, axis), -k(last, axis), point_rounding);
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

// Means over the sphere are 0 for a direction and 1/3 for its squares.
void expect_isotropic(const std::vector<std::array<double, 3>>& directions, double tolerance) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double mean = 0;
    double square = 0;
    for (const auto& direction : directions) {
      mean += direction[axis] / static_cast<double>(directions.size());
      square += direction[axis] * direction[axis] / static_cast<double>(directions.size());
    }
    EXPECT_NEAR(mean, 0, tolerance) << axis;
    EXPECT_NEAR(square, 1.0 / 3, tolerance) << axis;
  }
}

TEST(Kooshball, CenterOutGoldenMeansCoverTheSphereEvenly) {
  // Discrepancies of such sequences fall like log(n)/n; 1000 random directions would be off by 0.02.
  expect_isotropic(kooshball_directions(1000, {.center_out = true}), 5e-3);
}

TEST(Kooshball, PhyllotaxisFollowsItsDefinition) {
  const Index spokes = 610;
  for (const Index interleaves : {1, 5, 61}) {
    const auto directions =
        kooshball_directions(spokes, {.order = KooshballOrder::phyllotaxis, .interleaves = interleaves});
    for (Index spoke = 0; spoke < spokes; ++spoke) {
      const Index length = spokes / interleaves;
      const Index seed = spoke / length + interleaves * (spoke % length);
      const auto& direction = directions[static_cast<std::size_t>(spoke)];
      // Piccini et al. (2011): 137.51 degrees, here with more digits: 180 (3 - sqrt(5)).
      const double azimuth = static_cast<double>(seed) * 137.50776405003785 * pi / 180;
      const double polar = pi / 2 * std::sqrt(static_cast<double>(seed) / 610);
      EXPECT_NEAR(std::acos(direction[2]), polar, 1e-7);  // acos is steep at the pole: square root of 2e-16 and more
      const std::complex<double> in_plane(direction[0], direction[1]);
      // Up to 233 turns, rounded to 2e-13.
      EXPECT_LT(std::abs(in_plane - std::polar(std::sin(polar), azimuth)), 1e-12);
    }
  }
}

TEST(Kooshball, PhyllotaxisInterleavesOfFibonacciNumbersAreSmooth) {
  // From spoke to spoke of an interleaf the azimuth goes on by 34 golden angles, nearly a whole number of turns: off by
  // 360 / 34 / sqrt(5) = 4.7 degrees, with 33 in the place of 34 by much more.
  const auto largest_step = [](Index interleaves) {
    const auto directions =
        kooshball_directions(interleaves * 40, {.order = KooshballOrder::phyllotaxis, .interleaves = interleaves});
    double largest = 0;
    for (std::size_t spoke = 1; spoke < 40; ++spoke) {
      const auto& a = directions[spoke - 1];
      const auto& b = directions[spoke];
      if (spoke < 2) continue;  // at the pole any azimuth is near
      largest =
          std::max(largest, std::abs(std::arg(std::complex<double>(b[0], b[1]) / std::complex<double>(a[0], a[1]))));
    }
    return largest * 180 / pi;
  };
  EXPECT_LT(largest_step(34), 4.8);
  EXPECT_GT(largest_step(33), 90);
}

TEST(Kooshball, CenterOutPhyllotaxisCoversBothHalves) {
  const auto full = kooshball_directions(400, {.order = KooshballOrder::phyllotaxis, .interleaves = 4});
  const auto out =
      kooshball_directions(400, {.order = KooshballOrder::phyllotaxis, .interleaves = 4, .center_out = true});
  Index below = 0;
  for (std::size_t spoke = 0; spoke < 400; ++spoke) {
    const double side = spoke % 2 == 1 ? -1 : 1;
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_EQ(out[spoke][axis], side * full[spoke][axis]);
    below += out[spoke][2] < 0 ? 1 : 0;
  }
  EXPECT_EQ(below, 200);
  const Context ctx;
  const Trajectory trajectory =
      kooshball_trajectory(ctx, 400, 5, {.order = KooshballOrder::phyllotaxis, .interleaves = 4, .center_out = true});
  const auto k = trajectory.points.view<2>();
  for (Index axis = 0; axis < 3; ++axis) {
    EXPECT_EQ(k(7 * 5, axis), 0);
    EXPECT_NEAR(k(7 * 5 + 4, axis), 0.4 * out[7][static_cast<std::size_t>(axis)], point_rounding);
  }
}

TEST(Kooshball, BadSizesAreRefused) {
  const Context ctx;
  EXPECT_THROW(kooshball_trajectory(ctx, -1, 8), ValueError);
  EXPECT_THROW(kooshball_trajectory(ctx, 3, 1), ValueError);
  EXPECT_THROW(kooshball_directions(10, {.order = KooshballOrder::phyllotaxis, .interleaves = 3}), ValueError);
  EXPECT_THROW(kooshball_directions(10, {.order = KooshballOrder::phyllotaxis, .interleaves = 0}), ValueError);
  EXPECT_THROW(kooshball_directions(10, {.interleaves = 2}), ValueError);
}

}  // namespace
}  // namespace whorl
