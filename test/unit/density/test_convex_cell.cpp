#include "density/convex_cell.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace whorl::detail {
namespace {

// Coordinates are of order 1, so volumes round by about 1e-15 a cut.
constexpr double rounding = 1e-13;

TEST(ConvexPolygon, PlanesCutItSmaller) {
  ConvexPolygon cell;
  cell.reset({-1, -2}, {3, 1});
  EXPECT_DOUBLE_EQ(cell.volume(), 12);
  EXPECT_DOUBLE_EQ(cell.reach_square(), 13);
  EXPECT_TRUE(cell.has_outer_side());
  cell.cut({2, 0}, 8, false);  // beyond the rectangle
  EXPECT_DOUBLE_EQ(cell.volume(), 12);
  cell.cut({1, 1}, 2, false);  // takes the triangle with legs of 2 at (3, 1)
  EXPECT_NEAR(cell.volume(), 10, rounding);
  EXPECT_NEAR(cell.reach_square(), 13, rounding);
  for (const Point<2>& normal : {Point<2>{1, 0}, Point<2>{0, 1}, Point<2>{-1, 0}, Point<2>{0, -1}}) {
    cell.cut(normal, 0.5, false);
  }
  EXPECT_NEAR(cell.volume(), 1, rounding);
  EXPECT_NEAR(cell.reach_square(), 0.5, rounding);
  EXPECT_FALSE(cell.has_outer_side());
  cell.cut({1, 2}, 0.1, true);
  EXPECT_TRUE(cell.has_outer_side());
}

TEST(ConvexPolyhedron, PlanesCutItSmaller) {
  ConvexPolyhedron cell;
  cell.reset({-1, -2, -1}, {3, 1, 2});
  EXPECT_DOUBLE_EQ(cell.volume(), 36);
  EXPECT_DOUBLE_EQ(cell.reach_square(), 17);
  cell.cut({1, 1, 1}, 6, false);  // meets one corner
  EXPECT_DOUBLE_EQ(cell.volume(), 36);
  cell.cut({1, 1, 1}, 5, false);  // takes a corner with edges of 1
  EXPECT_NEAR(cell.volume(), 36 - 1.0 / 6, rounding);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (const double sign : {-1, 1}) {
      Point<3> normal{};
      normal[axis] = sign;
      cell.cut(normal, 0.5, false);
    }
  }
  EXPECT_NEAR(cell.volume(), 1, rounding);
  EXPECT_NEAR(cell.reach_square(), 0.75, rounding);
  EXPECT_FALSE(cell.has_outer_side());
}

// Planes through the vertices that are there take nothing, in whatever order: the rhombic dodecahedron of the fcc
// lattice, whose second neighbors touch it in single vertices, in any orientation.
TEST(ConvexPolyhedron, PlanesThatTouchTakeNothing) {
  const double c = std::cos(0.7);
  const double s = std::sin(0.7);
  for (const bool first : {false, true}) {
    ConvexPolyhedron cell;
    cell.reset({-3, -3, -3}, {3, 3, 3});
    const auto cut = [&](double x, double y, double z) {
      const Point<3> way{c * x - s * y, s * x + c * y, z};
      cell.cut({way[0], s * way[1] - c * way[2], c * way[1] + s * way[2]}, dot_product<3>(way, way) / 2, false);
    };
    const auto second_neighbors = [&] {
      for (const double sign : {-2, 2}) {
        cut(sign, 0, 0);
        cut(0, sign, 0);
        cut(0, 0, sign);
      }
    };
    if (first) second_neighbors();
    for (const double a : {-1, 1}) {
      for (const double b : {-1, 1}) {
        cut(a, b, 0);
        cut(0, a, b);
        cut(b, 0, a);
      }
    }
    if (!first) second_neighbors();
    // Volume of the lattice with four points in a cube of 2. Vertices are left out up to 1e-11 of the reach.
    EXPECT_NEAR(cell.volume(), 2, 1e-10);
    EXPECT_NEAR(cell.reach_square(), 1, 1e-10);
  }
}

// Tangent planes all around: a polyhedron around the unit ball, with thousands of faces and vertices.
TEST(ConvexPolyhedron, ThousandsOfFaces) {
  ConvexPolyhedron cell;
  cell.reset({-2, -2, -2}, {2, 2, 2});
  constexpr int faces = 3000;
  for (int i = 0; i < faces; ++i) {
    const double z = 1 - (2 * i + 1.0) / faces;
    const double angle = std::numbers::pi * (3 - std::sqrt(5.0)) * i;
    const double r = std::sqrt(1 - z * z);
    cell.cut({r * std::cos(angle), r * std::sin(angle), z}, 1, false);
  }
  EXPECT_FALSE(cell.has_outer_side());
  // A face of area a = 4 pi / n, seen from the center under an angle of radius t = 2 / sqrt(n), adds a cap of a volume
  // of about a t^2 / 4 to the ball: 1/n of 4 pi in all for round faces, and 4 % more for hexagons; doubled for slack.
  const double ball = 4 * std::numbers::pi / 3;
  EXPECT_GT(cell.volume(), ball);
  EXPECT_LT(cell.volume(), ball + 2 * 4 * std::numbers::pi / faces);
}

}  // namespace
}  // namespace whorl::detail
