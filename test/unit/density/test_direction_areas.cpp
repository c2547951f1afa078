#include "density/direction_areas.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "whorl/core/random.hpp"
#include "whorl/trajectory/kooshball.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

using Direction = std::array<double, 3>;

Direction at(double degrees) { return {std::cos(degrees * pi / 180), std::sin(degrees * pi / 180), 0}; }

TEST(DirectionAreas, OnTheCircleAreHalfTheGaps) {
  const std::vector<Direction> directions{at(0), at(350), at(90), at(200), at(90)};
  const std::vector<double> areas = detail::direction_areas(2, directions);
  // Gaps: 350 to 0: 10; 0 to 90: 90; 90 to 200: 110; 200 to 350: 150. Both at 90 degrees share.
  const std::vector<double> degrees{50, 80, 50, 130, 50};
  for (std::size_t i = 0; i < degrees.size(); ++i) EXPECT_NEAR(areas[i], degrees[i] * pi / 180, 1e-12) << i;
}

// 180 degrees and -180 + 1e-9 are one place.
TEST(DirectionAreas, TheSeamOfTheCircleIsNone) {
  const std::vector<double> areas =
      detail::direction_areas(2, std::vector<Direction>{at(180), at(-180 + 1e-9), at(0), at(90), at(270)});
  EXPECT_NEAR(areas[0], pi / 4, 1e-8);
  EXPECT_NEAR(areas[1], pi / 4, 1e-8);
  for (const std::size_t i : {2U, 3U, 4U}) EXPECT_NEAR(areas[i], pi / 2, 1e-8);
}

// Half of the circle is empty: the outermost directions own as much outwards as inwards.
TEST(DirectionAreas, OneSidedDirectionsAreExtrapolated) {
  const std::vector<double> areas = detail::direction_areas(2, std::vector<Direction>{at(0), at(45), at(90), at(135)});
  for (const double area : areas) EXPECT_NEAR(area, pi / 4, 1e-12);
}

TEST(DirectionAreas, OfRegularSolidsAreEqual) {
  const std::vector<Direction> octahedron{{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  std::vector<Direction> cube;  // its faces are squares, on which four directions lie in one plane
  for (int corner = 0; corner < 8; ++corner) {
    const double a = 1 / std::sqrt(3.0);
    cube.push_back({corner & 1 ? a : -a, corner & 2 ? a : -a, corner & 4 ? a : -a});
  }
  for (const double area : detail::direction_areas(3, octahedron)) EXPECT_NEAR(area, 4 * pi / 6, 1e-12);
  for (const double area : detail::direction_areas(3, cube)) EXPECT_NEAR(area, 4 * pi / 8, 1e-12);
}

// Directions at random against the definition: a fine set of directions, each counted for the nearest. With 200,000
// of equal areas, n of them in a cell, the count is off by about sqrt(n) at most, less for their regular order.
TEST(DirectionAreas, AreThoseOfTheNearestDirections) {
  std::vector<Direction> directions;
  for (std::uint64_t i = 0; i < 60; ++i) {
    const double z = 2 * random_uniform(3, 2 * i) - 1;
    const double angle = 2 * pi * random_uniform(3, 2 * i + 1);
    directions.push_back({std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z});
  }
  directions.push_back(directions[11]);
  const std::vector<double> areas = detail::direction_areas(3, directions);
  EXPECT_NEAR(std::accumulate(areas.begin(), areas.end(), 0.0), 4 * pi, 1e-10);
  constexpr Index fine = 200000;
  std::vector<double> counts(directions.size());
  for (const Direction& u : kooshball_directions(fine, {.center_out = true})) {
    std::size_t nearest = 0;
    double largest = -2;
    for (std::size_t i = 0; i < 60; ++i) {
      const double cosine = u[0] * directions[i][0] + u[1] * directions[i][1] + u[2] * directions[i][2];
      if (cosine > largest) {
        largest = cosine;
        nearest = i;
      }
    }
    counts[nearest] += 1;
  }
  counts[60] = counts[11] = counts[11] / 2;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    EXPECT_NEAR(areas[i], 4 * pi * counts[i] / fine, 4 * pi * 2 * std::sqrt(counts[i] + 1) / fine) << i;
  }
}

// Spiral phyllotaxis: the polar angle is pi/2 sqrt(s/S), so that a direction's area goes as sin(b)/b.
TEST(DirectionAreas, OfPhyllotaxis) {
  constexpr Index spokes = 3000;
  std::vector<Direction> both = kooshball_directions(spokes, {.order = KooshballOrder::phyllotaxis});
  for (std::size_t i = 0; i < spokes; ++i) both.push_back({-both[i][0], -both[i][1], -both[i][2]});
  const std::vector<double> areas = detail::direction_areas(3, both);
  double unit = 0;  // area at the pole: 2 pi b db = d(area) with b^2 = (pi/2)^2 s/S
  unit = pi * pi * pi / 4 / spokes;
  for (std::size_t i = 100; i < 2800; ++i) {  // away from the pole and from the seam at the equator
    const double b = std::acos(both[i][2]);
    // Cells of a sunflower differ by a few percent as their neighbors change.
    EXPECT_NEAR(areas[i], unit * std::sin(b) / b, 0.06 * unit) << i;
  }
}

TEST(DirectionAreas, WithoutVolumeAreEqual) {
  const std::vector<Direction> plane{at(0), at(10), at(100), at(200), at(300)};
  for (const double area : detail::direction_areas(3, plane)) EXPECT_NEAR(area, 4 * pi / 5, 1e-12);
  for (const double area : detail::direction_areas(3, std::vector<Direction>{at(0), at(90)})) {
    EXPECT_NEAR(area, 2 * pi, 1e-12);
  }
}

// The upper half of the sphere alone: with the lower half mirrored, as of spokes through the center.
TEST(DirectionAreas, OfHalfASphere) {
  const std::vector<Direction> upper = kooshball_directions(500, {.order = KooshballOrder::phyllotaxis});
  const std::vector<double> areas = detail::direction_areas(3, upper);
  EXPECT_NEAR(std::accumulate(areas.begin(), areas.end(), 0.0), 2 * pi, 1e-10);
}

}  // namespace
}  // namespace whorl
