#include "whorl/density/voronoi_density.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/trajectory/kooshball.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

// Volumes are good to 1e-9 of themselves; the normalization adds rounding.
constexpr double accuracy = 1e-8;

// Spokes every delta in both directions cut rings of width 1 into pieces between two lines through the center and two
// lines across the spoke, halfway to the samples before and after: 2 r tan(delta / 2) in area. The center is a polygon
// of inradius 1/2. The outermost cell is closed by its mirror image: its outer half is as narrow as its inner half.
TEST(VoronoiDensity, OfUniformSpokesIsTheAreaOfRingPieces) {
  const Context ctx({.threads = 2});
  constexpr Index spokes = 11;
  constexpr Index readout = 9;
  const auto weights =
      voronoi_density<double>(ctx, radial_trajectory(ctx, spokes, readout, SpokeOrder::uniform).points);
  const double tangent = std::tan(std::numbers::pi / spokes / 2);
  std::vector<double> expected;
  for (Index i = 0; i < spokes * readout; ++i) {
    const auto r = static_cast<double>(std::abs(i % readout - readout / 2));
    if (r == 0) {
      expected.push_back(2 * spokes * 0.25 * tangent / spokes);
    } else {
      expected.push_back(2 * tangent * (r == readout / 2 ? r - 0.25 : r));
    }
  }
  const double scale = spokes * readout / std::accumulate(expected.begin(), expected.end(), 0.0);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(weights.span()[i], scale * expected[i], accuracy * scale * expected[i]) << i;
  }
}

// On a kooshball the cells of a spoke are pieces of one cone, cut by planes across the spoke: so they are to each other
// as the differences of cubes, whatever the directions of the others. The center holds the tips of all cones.
TEST(VoronoiDensity, OfAKooshballGrowsAsTheCubes) {
  const Context ctx({.threads = 2});
  constexpr Index spokes = 150;
  constexpr Index readout = 13;
  const auto weights = voronoi_density<double>(ctx, kooshball_trajectory(ctx, spokes, readout).points);
  const auto cubes = [](double m) { return std::pow(m + 0.5, 3) - std::pow(m - 0.5, 3); };
  double center = 0;
  double innermost = 0;
  for (Index spoke = 0; spoke < spokes; ++spoke) {
    const double* w = weights.data() + spoke * readout;
    center += w[readout / 2];
    for (const Index side : {-1, 1}) {
      const double first = w[readout / 2 + side];
      innermost += first;
      for (Index m = 2; m < readout / 2; ++m) {
        const double expected = first * cubes(static_cast<double>(m)) / cubes(1);
        EXPECT_NEAR(w[readout / 2 + side * m], expected, accuracy * expected);
      }
    }
    EXPECT_EQ(w[readout / 2], weights.data()[readout / 2]);
  }
  EXPECT_NEAR(center, innermost * 0.125 / cubes(1), accuracy * center);
}

TEST(VoronoiDensity, SamplesAtOnePlaceShareTheCell) {
  const Context ctx;
  for (const int dim : {2, 3}) {
    const Index samples = 120;
    const auto single = test::random_points(ctx, samples, dim);
    Array<double> twice(ctx, {samples + 2, dim});
    std::copy(single.span().begin(), single.span().end(), twice.data());
    for (Index copy = 0; copy < 2; ++copy) {
      for (Index axis = 0; axis < dim; ++axis) {
        // The third one lies a rounding of float away.
        twice.data()[(samples + copy) * dim + axis] = single.data()[40 * dim + axis] + 5e-8 * double(copy);
      }
    }
    const auto before = voronoi_density<double>(ctx, single);
    const auto after = voronoi_density<double>(ctx, twice);
    const double ratio = double(samples + 2) / double(samples);  // of the normalization
    EXPECT_EQ(after.data()[40], after.data()[samples]);
    EXPECT_EQ(after.data()[40], after.data()[samples + 1]);
    for (Index i = 0; i < samples; ++i) {
      const double expected = ratio * before.data()[i] / (i == 40 ? 3 : 1);
      EXPECT_NEAR(after.data()[i], expected, accuracy * expected);
    }
  }
}

TEST(VoronoiDensity, SumsToTheNumberOfSamplesInFloat) {
  const Context ctx;
  const auto points = test::random_points(ctx, 300, 3);
  const auto exact = voronoi_density<double>(ctx, points, {.boundary = VoronoiBoundary::hull});
  const auto rounded = voronoi_density<float>(ctx, points, {.boundary = VoronoiBoundary::hull});
  EXPECT_NEAR(std::accumulate(exact.span().begin(), exact.span().end(), 0.0), 300, 1e-10);
  // Rounded twice, before and after the normalization.
  for (Index i = 0; i < 300; ++i) EXPECT_NEAR(rounded.data()[i], exact.data()[i], 2e-7 * exact.data()[i]);
}

TEST(VoronoiDensity, RefusesWhatHasNoArea) {
  const Context ctx;
  const auto message_for = [&](ArrayRef<const double> points) -> std::string {
    try {
      voronoi_density<float>(ctx, points);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "accepted";
  };
  auto points = test::random_points(ctx, 20, 2);
  for (Index i = 0; i < 20; ++i) points.data()[2 * i + 1] = points.data()[2 * i] / 2;
  EXPECT_NE(message_for(points).find("on a line"), std::string::npos) << message_for(points);
  points = test::random_points(ctx, 20, 3);
  for (Index i = 0; i < 20; ++i) points.data()[3 * i + 2] = 0.125;
  EXPECT_NE(message_for(points).find("in a plane"), std::string::npos) << message_for(points);
  points = zeros<double>(ctx, {50, 2});
  EXPECT_NE(message_for(points).find("all samples are at one place"), std::string::npos) << message_for(points);
  EXPECT_NE(message_for(Array<double>(ctx, {0, 2})).find("no samples"), std::string::npos);
  points.data()[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(message_for(points).find("finite"), std::string::npos);
}

}  // namespace
}  // namespace whorl
