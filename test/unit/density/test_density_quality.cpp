#include "whorl/density/density_quality.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/random_trajectory.hpp"
#include "whorl/density/radial_density.hpp"
#include "whorl/op/window.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

Array<double> ones(const Context& ctx, Index samples) {
  Array<double> weights(ctx, {samples});
  fill<double>(weights, 1);
  return weights;
}

TEST(GridFlatness, OfAFullGridIsEven) {
  const Context ctx;
  Array<double> points(ctx, {16 * 12, 2});
  for (Index j = 0; j < points.extent(0); ++j) {
    points.data()[2 * j] = double(j % 12) / 12 - 0.5;
    points.data()[2 * j + 1] = double(j / 12) / 16 - 0.5;
  }
  const auto flatness = grid_flatness<double>(ctx, points, ones(ctx, points.extent(0)), {16, 12});
  // On grid points the window's edge, 1/I0(beta) = 7.7e-4 for width 4, falls on one side or the other by rounding.
  EXPECT_LT(flatness.variation, 2e-3);
  EXPECT_NEAR(flatness.least, 1, 3e-3);
  EXPECT_NEAR(flatness.most, 1, 3e-3);
  // The axes have 12 and 16 points; two at each end have windows that reach out.
  EXPECT_EQ(flatness.grid_points, 8 * 12);
}

// One half of a square has one sample with a weight: the grid points in it are not those of the other half.
TEST(GridFlatness, OfATriangle) {
  const Context ctx;
  constexpr std::array<double, 8> places{-0.5, -0.5, 0.5, -0.5, -0.5, 0.5, -3.2 / 12, -4.3 / 16};
  Array<double> points(ctx, {4, 2});
  std::copy(places.begin(), places.end(), points.data());
  Array<double> weights(ctx, {4});
  fill<double>(weights, 0);
  weights.data()[3] = 1;
  const Window window(WindowKind::kaiser_bessel, 4, 2);
  double sum = 0;
  double most = 0;
  Index count = 0;
  for (int i = -6; i < 6; ++i) {
    for (int j = -8; j < 8; ++j) {
      if (i - 2 < -6 || j - 2 < -8 || (i + 2) / 12.0 + (j + 2) / 16.0 > 1e-9) continue;
      const double value = window.value(i + 3.2) * window.value(j + 4.3);
      sum += value;
      most = std::max(most, value);
      ++count;
    }
  }
  const auto flatness = grid_flatness<double>(ctx, points, weights, {16, 12});
  EXPECT_EQ(flatness.grid_points, count);
  const double expected = most * double(count) / sum;
  EXPECT_NEAR(flatness.most, expected, 1e-9 * expected);  // the window is evaluated to 1e-13 of its peak
}

// The definition, sum by sum: in 2D and 3D, on images of unequal extents. The corners make the hull a cube.
void check_definition(const Shape& image, int dim) {
  const Context ctx({.threads = 2});
  auto points = test::random_points(ctx, 60, dim);
  for (int corner = 0; corner < 1 << dim; ++corner) {
    for (int axis = 0; axis < dim; ++axis) points.data()[corner * dim + axis] = (corner >> axis & 1) != 0 ? 0.5 : -0.5;
  }
  auto weights = ones(ctx, 60);
  for (Index j = 0; j < 60; ++j) weights.data()[j] = 1 + 0.01 * double(j);
  const Window window(WindowKind::kaiser_bessel, 4, 2);
  std::vector<double> values;
  for (Index n = 0; n < image.size(); ++n) {
    bool inside = true;
    std::vector<double> k;
    Index rest = n;
    for (int axis = 0; axis < dim; ++axis) {
      const Index extent = image[-1 - axis];
      const Index i = rest % extent - extent / 2;
      rest /= extent;
      k.push_back(double(i));
      inside = inside && std::abs(double(i)) + 2 <= 0.5 * double(extent) + 1e-9;
    }
    if (!inside) continue;
    double sum = 0;
    for (Index j = 0; j < 60; ++j) {
      double product = weights.data()[j];
      for (int axis = 0; axis < dim; ++axis) {
        // The grid is periodic: samples at the edge reach around it.
        const double extent = double(image[-1 - axis]);
        double way = k[std::size_t(axis)] - extent * points.data()[j * dim + axis];
        way -= extent * std::round(way / extent);
        product *= window.value(way);
      }
      sum += product;
    }
    values.push_back(sum);
  }
  double mean = 0;
  for (const double value : values) mean += value / double(values.size());
  double variance = 0;
  for (const double value : values) variance += (value - mean) * (value - mean) / double(values.size());
  const auto flatness = grid_flatness<double>(ctx, points, weights, image);
  ASSERT_EQ(flatness.grid_points, Index(values.size()));
  // The window is evaluated to 1e-13 of its peak.
  EXPECT_NEAR(flatness.variation, std::sqrt(variance) / mean, 1e-10);
  EXPECT_NEAR(flatness.least, *std::min_element(values.begin(), values.end()) / mean, 1e-10);
  EXPECT_NEAR(flatness.most, *std::max_element(values.begin(), values.end()) / mean, 1e-10);
}

TEST(GridFlatness, IsWhatItsDefinitionSays) {
  check_definition({11, 14}, 2);
  check_definition({8, 11, 10}, 3);
}

TEST(GridFlatness, HasNoNumbersWhereTheWindowIsLargerThanTheSupport) {
  const Context ctx;
  auto points = test::random_points(ctx, 40, 2);
  for (double& k : points.span()) k /= 10;
  const auto flatness = grid_flatness<double>(ctx, points, ones(ctx, 40), {16, 16});
  EXPECT_EQ(flatness.grid_points, 0);
  EXPECT_TRUE(std::isnan(flatness.variation));
}

TEST(GridFlatness, WeightsAndImageMustFit) {
  const Context ctx;
  const auto points = test::random_points(ctx, 40, 2);
  EXPECT_THROW(grid_flatness<double>(ctx, points, ones(ctx, 39), {16, 16}), ShapeError);
  EXPECT_THROW(grid_flatness<double>(ctx, points, ones(ctx, 40), {16, 16, 16}), ShapeError);
}

TEST(DensityQuality, CompensationShowsInAllNumbers) {
  const Context ctx({.threads = 2});
  const Trajectory radial = radial_trajectory(ctx, 110, 64, SpokeOrder::uniform);
  const auto even = density_quality<double>(ctx, radial.points, ones(ctx, radial.samples()), {64, 64});
  const auto ramp =
      density_quality<double>(ctx, radial.points, radial_density<double>(ctx, radial, {64, 64}), {64, 64});
  EXPECT_LT(ramp.response.side_lobe_energy, even.response.side_lobe_energy);
  // Fully sampled: the window, two steps of 1/FOV to each side, leaves ripples below a tenth.
  EXPECT_LT(ramp.flatness.variation, 0.1);
  EXPECT_GT(even.flatness.variation, 1);  // 1/|k|: the tip alone is tens of times the mean
  EXPECT_GT(even.flatness.most, 5 * ramp.flatness.most);
  EXPECT_DOUBLE_EQ(DensityQuality({.response = {.side_lobe = 0.1}, .flatness = {}}).side_lobe_db(), -20);
}

}  // namespace
}  // namespace whorl
