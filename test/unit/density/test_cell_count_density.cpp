#include "whorl/density/cell_count_density.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(CellCountDensity, IsOneOverTheSamplesOfTheCell) {
  const Context ctx;
  // An image of 10 x 20 pixels (x, y): cells of 0.1 x 0.05 around the center. The first three share the cell of the
  // center, the next lies just above it in y, the next two in the cell beside it in x, on both of its edges.
  const std::vector<double> k{0, 0, 0.049, -0.0249, -0.05, 0.0249, 0, 0.0251, 0.0501, 0, 0.1499, 0.01};
  Array<double> points(ctx, {6, 2});
  std::copy(k.begin(), k.end(), points.data());
  const auto weights = cell_count_density<double>(ctx, points, {20, 10});
  const std::vector<double> shares{1.0 / 3, 1.0 / 3, 1.0 / 3, 1, 0.5, 0.5};  // of 3 cells
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(weights.span()[i], 6.0 / 3 * shares[i], 1e-14);
  // Cells of three times that: all samples but the last, at 1.5 cells of 0.1.
  const auto coarse = cell_count_density<double>(ctx, points, {20, 10}, {.cell = 2.9});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(coarse.span()[i], i == 5 ? 3 : 0.6, 1e-14);
}

TEST(CellCountDensity, TellsTheAxesApart) {
  const Context ctx;
  Array<double> points(ctx, {3, 3});
  fill<double>(points, 0);
  points.data()[3 + 2] = 0.2;  // kz: another cell in an image of 4 slices, the same in one of 2
  points.data()[6] = 0.2;      // kx
  const auto weights = cell_count_density<float>(ctx, points, {4, 6, 2});
  EXPECT_FLOAT_EQ(weights.data()[0], 0.75F);
  EXPECT_FLOAT_EQ(weights.data()[1], 1.5F);
  EXPECT_FLOAT_EQ(weights.data()[2], 0.75F);
}

TEST(CellCountDensity, RefusesBadOptions) {
  const Context ctx;
  const auto points = test::random_points(ctx, 20, 2);
  EXPECT_THROW(cell_count_density<float>(ctx, points, {8, 8}, {.cell = 0}), ValueError);
  EXPECT_THROW(cell_count_density<float>(ctx, points, {8, 8}, {.cell = std::numeric_limits<double>::infinity()}),
               ValueError);
  EXPECT_THROW(cell_count_density<float>(ctx, points, {8, 8}, {.cell = 1e-6}), ValueError);
  EXPECT_THROW(cell_count_density<float>(ctx, points, {8, 8, 8}), ShapeError);
}

}  // namespace
}  // namespace whorl
