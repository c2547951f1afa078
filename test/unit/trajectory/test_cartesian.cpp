#include "whorl/trajectory/cartesian.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

Index count(const Array<std::uint8_t>& mask) {
  return std::accumulate(mask.span().begin(), mask.span().end(), Index{0});
}

std::vector<Index> lines_of(const Array<std::uint8_t>& mask) {
  std::vector<Index> lines;
  for (Index line = 0; line < mask.size(); ++line) {
    if (mask.span()[static_cast<std::size_t>(line)] != 0) lines.push_back(line);
  }
  return lines;
}

TEST(Cartesian, FullTrajectoryIsTheGrid) {
  const Context ctx;
  const auto mask = cartesian_mask(ctx, {.matrix = {4, 3, 2}});
  const Trajectory trajectory = cartesian_trajectory(ctx, 4, mask);
  ASSERT_EQ(trajectory.points.shape(), (Shape{24, 3}));
  EXPECT_EQ(trajectory.readout_length, 4);
  const auto k = trajectory.points.view<2>();
  for (Index sample = 0; sample < 24; ++sample) {
    EXPECT_EQ(k(sample, 0), static_cast<double>(sample % 4 - 2) / 4);
    EXPECT_EQ(k(sample, 1), static_cast<double>(sample / 4 % 3 - 1) / 3);
    EXPECT_EQ(k(sample, 2), static_cast<double>(sample / 12 - 1) / 2);
  }
  EXPECT_EQ(cartesian_trajectory(ctx, 4, cartesian_mask(ctx, {.matrix = {4, 3, 1}})).dim(), 2);
}

TEST(Cartesian, RegularUndersamplingGoesThroughTheCenter) {
  const Context ctx;
  CartesianOptions options{.matrix = {8, 11, 1}, .undersampling = Undersampling::regular, .acceleration = {3, 1}};
  // The center is line 5.
  EXPECT_EQ(lines_of(cartesian_mask(ctx, options)), (std::vector<Index>{2, 5, 8}));
  options.calibration = {4, 0};
  EXPECT_EQ(lines_of(cartesian_mask(ctx, options)), (std::vector<Index>{2, 3, 4, 5, 6, 8}));
  // 7 of 11 lines from the positive end: from line 4 on; the calibration region stays.
  options.partial_fourier = {0.6, 1};
  EXPECT_EQ(lines_of(cartesian_mask(ctx, options)), (std::vector<Index>{3, 4, 5, 6, 8}));

  const auto volume = cartesian_mask(
      ctx,
      {.matrix = {8, 6, 5}, .undersampling = Undersampling::regular, .acceleration = {2, 2}, .calibration = {2, 1}});
  const auto lines = volume.view<2>();
  for (Index z = 0; z < 5; ++z) {
    for (Index y = 0; y < 6; ++y) {
      const bool regular = (y == 1 || y == 3 || y == 5) && (z == 0 || z == 2 || z == 4);
      EXPECT_EQ(lines(z, y) != 0, regular || (z == 2 && (y == 2 || y == 3))) << z << ' ' << y;
    }
  }
}

TEST(Cartesian, RandomMaskHasTheExactNumberAndADenseCenter) {
  const Context ctx;
  CartesianOptions options{.matrix = {2, 120, 96},
                           .undersampling = Undersampling::random,
                           .acceleration = {2, 2.5},
                           .calibration = {10, 8},
                           .variation = 2};
  const auto mask = cartesian_mask(ctx, options);
  EXPECT_EQ(count(mask), 120 * 96 / 5);
  const auto lines = mask.view<2>();
  for (Index z = 44; z < 52; ++z) {
    for (Index y = 55; y < 65; ++y) EXPECT_EQ(lines(z, y), 1);
  }
  // The part taken in rings falls from ring to ring.
  std::vector<double> taken(4);
  std::vector<double> all(4);
  for (Index z = 0; z < 96; ++z) {
    for (Index y = 0; y < 120; ++y) {
      const double r = std::hypot(static_cast<double>(y - 60) / 60, static_cast<double>(z - 48) / 48);
      const auto ring = static_cast<std::size_t>(std::min(3.0, 3 * r));
      taken[ring] += lines(z, y);
      all[ring] += 1;
    }
  }
  for (std::size_t ring = 1; ring < 4; ++ring)
    EXPECT_LT(taken[ring] / all[ring], 0.8 * taken[ring - 1] / all[ring - 1]);
  options.seed = 2;
  const auto other = cartesian_mask(ctx, options);
  EXPECT_EQ(count(other), count(mask));
  EXPECT_NE(lines_of(other), lines_of(mask));
  EXPECT_EQ(lines_of(cartesian_mask(ctx, options)), lines_of(other));
}

TEST(Cartesian, RandomMaskWithoutVariationIsUniform) {
  const Context ctx;
  const auto mask = cartesian_mask(
      ctx, {.matrix = {2, 200, 100}, .undersampling = Undersampling::random, .acceleration = {4, 1}, .variation = 0});
  const auto lines = lines_of(mask);
  EXPECT_EQ(lines.size(), 5000U);
  // A quarter of the lines are in the quarter of the plane at the corner: 1250, standard deviation 27, five of them.
  const auto corner = std::count_if(lines.begin(), lines.end(), [](Index i) { return i % 200 < 100 && i / 200 < 50; });
  EXPECT_NEAR(static_cast<double>(corner), 1250, 135);
}

TEST(Cartesian, PoissonDiscKeepsItsDistance) {
  const Context ctx;
  for (const double variation : {0.0, 2.0}) {
    const auto mask = cartesian_mask(ctx, {.matrix = {2, 90, 70},
                                           .undersampling = Undersampling::poisson_disc,
                                           .acceleration = {3, 2},
                                           .variation = variation});
    EXPECT_EQ(count(mask), 90 * 70 / 6);
    const auto lines = lines_of(mask);
    // Distance of each line to its nearest neighbor, over the law 1 + variation r.
    std::vector<double> ratio;
    for (const Index a : lines) {
      double least = 1e9;
      for (const Index b : lines) {
        if (a != b) least = std::min(least, std::hypot(a % 90 - b % 90, a / 90 - b / 90));
      }
      const double r = std::hypot(static_cast<double>(a % 90 - 45) / 45, static_cast<double>(a / 90 - 35) / 35);
      ratio.push_back(least / (1 + variation * r));
    }
    const auto [lowest, highest] = std::minmax_element(ratio.begin(), ratio.end());
    // Darts leave no hole of more than twice the distance. On a grid with variation, the law at the neighbor counts
    // too, which over the distance of neighbors changes by a little, and distances are those of grid points: a
    // factor 1.6.
    EXPECT_LT(*highest / *lowest, 2 * 1.6) << variation;
    // Some pairs of as many lines at random would be neighbors on the grid.
    if (variation == 0) {
      EXPECT_GE(*lowest, 2);
    }
  }
}

TEST(Cartesian, PoissonDiscWorksInThePlane) {
  const Context ctx;
  const auto mask = cartesian_mask(ctx, {.matrix = {2, 256, 1},
                                         .undersampling = Undersampling::poisson_disc,
                                         .acceleration = {4, 1},
                                         .calibration = {16, 0}});
  EXPECT_EQ(count(mask), 64);
  for (Index y = 120; y < 136; ++y) EXPECT_EQ(mask.view<2>()(0, y), 1);
}

TEST(Cartesian, BadOptionsAreRefused) {
  const Context ctx;
  const CartesianOptions good{.matrix = {8, 12, 10}};
  const auto refused = [&](auto change) {
    CartesianOptions bad = good;
    change(bad);
    EXPECT_THROW(cartesian_mask(ctx, bad), ValueError);
  };
  EXPECT_EQ(count(cartesian_mask(ctx, good)), 120);
  refused([](auto& bad) { bad.matrix[0] = 1; });
  refused([](auto& bad) { bad.matrix[2] = 0; });
  refused([](auto& bad) { bad.matrix[1] = 70000; });
  refused([](auto& bad) { bad.acceleration[0] = 0.5; });
  refused([](auto& bad) { bad.acceleration[1] = 11; });
  refused([](auto& bad) {
    bad.undersampling = Undersampling::regular;
    bad.acceleration[0] = 2.5;
  });
  refused([](auto& bad) { bad.calibration[0] = 13; });
  refused([](auto& bad) { bad.calibration[1] = -1; });
  refused([](auto& bad) { bad.partial_fourier[0] = 0.5; });
  refused([](auto& bad) { bad.partial_fourier[1] = 1.1; });
  refused([](auto& bad) { bad.variation = -1; });
  refused([](auto& bad) {
    bad.undersampling = Undersampling::random;
    bad.acceleration = {12, 5};
    bad.calibration = {4, 4};
  });
  EXPECT_THROW(cartesian_trajectory(ctx, 4, zeros<std::uint8_t>(ctx, {2, 3})), ValueError);
  EXPECT_THROW(cartesian_trajectory(ctx, 1, cartesian_mask(ctx, good)), ValueError);
  EXPECT_THROW(cartesian_trajectory(ctx, 4, zeros<std::uint8_t>(ctx, {6})), ShapeError);
}

}  // namespace
}  // namespace whorl
