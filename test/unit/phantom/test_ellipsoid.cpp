#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "support/fine_transform.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/ellipsoid.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
constexpr double pi = std::numbers::pi;

const std::vector<Ellipsoid> tilted{{{0.1, -0.2, 0.15}, {0.6, 0.3, 0.45}, 0.4, 1.5},
                                    {{-0.3, 0.4, -0.2}, {0.2, 0.35, 0.3}, -0.7, -0.5}};

Array<double> points_2d(const Context& ctx) {
  Array<double> points(ctx, {6, 2});
  const std::vector<double> values{0, 0, 0.05, 0, 0, -0.1, 0.21, 0.13, -0.37, 0.44, 0.5, -0.5};
  std::copy(values.begin(), values.end(), points.data());
  return points;
}

Array<double> points_3d(const Context& ctx) {
  Array<double> points(ctx, {5, 3});
  const std::vector<double> values{0, 0, 0, 0.06, 0, 0, 0, -0.1, 0.15, 0.21, 0.13, -0.2, -0.37, 0.44, 0.3};
  std::copy(values.begin(), values.end(), points.data());
  return points;
}

// The midpoint rule with cells of 1/64 pixel: the lattice points in a convex region of radius rho cells are rho^2 pi to
// within a few rho^(2/3) (rho about 400: 2e-4 of the area at most), and aliases of the spectrum are weighed down by the
// same number of cells. 5e-4 of the largest value is asked.
TEST(Ellipsoid, SamplesAreTheTransformOfAFineRaster2D) {
  const Context ctx;
  const std::array<Index, 3> matrix{24, 19, 1};
  const Array<double> points = points_2d(ctx);
  const Array<Complex> samples = ellipsoid_samples(ctx, tilted, matrix, points);
  const Array<Complex> oracle = test::fine_transform(ctx, tilted, matrix, points, 8, 8);
  for (Index i = 0; i < samples.size(); ++i) {
    EXPECT_LT(std::abs(samples.data()[i] - oracle.data()[i]), 5e-4 * std::abs(samples.data()[0])) << "point " << i;
  }
}

// As before with cells of 1/12 pixel, rho about 40: the error of the volume is of the order rho^(-1.5), 4e-3.
TEST(Ellipsoid, SamplesAreTheTransformOfAFineRaster3D) {
  const Context ctx;
  const std::array<Index, 3> matrix{12, 9, 10};
  const Array<double> points = points_3d(ctx);
  const Array<Complex> samples = ellipsoid_samples(ctx, tilted, matrix, points);
  const Array<Complex> oracle = test::fine_transform(ctx, tilted, matrix, points, 4, 3);
  for (Index i = 0; i < samples.size(); ++i) {
    EXPECT_LT(std::abs(samples.data()[i] - oracle.data()[i]), 4e-3 * std::abs(samples.data()[0])) << "point " << i;
  }
}

TEST(Ellipsoid, TheCenterOfKSpaceIsTheVolume) {
  const Context ctx;
  const std::vector<Ellipsoid> one{{{0.3, 0.1, -0.2}, {0.5, 0.25, 0.75}, 1, 2}};
  const Array<Complex> area = ellipsoid_samples(ctx, one, {16, 20, 1}, zeros<double>(ctx, {1, 2}));
  EXPECT_NEAR(area.data()[0].real(), 2 * pi * (0.5 * 8) * (0.25 * 10) / std::sqrt(320.0), 1e-13);
  const Array<Complex> volume = ellipsoid_samples(ctx, one, {16, 20, 12}, zeros<double>(ctx, {1, 3}));
  EXPECT_NEAR(volume.data()[0].real(), 2 * 4 * pi / 3 * 4 * 2.5 * 4.5 / std::sqrt(3840.0), 1e-12);
}

TEST(Ellipsoid, AMovedObjectTurnsThePhase) {
  const Context ctx;
  std::vector<Ellipsoid> moved = tilted;
  for (Ellipsoid& ellipsoid : moved) {
    for (std::size_t axis = 0; axis < 3; ++axis) ellipsoid.center[axis] += std::array{0.2, -0.3, 0.1}[axis];
  }
  const std::array<Index, 3> matrix{12, 9, 10};
  const Array<double> points = points_3d(ctx);
  const Array<Complex> here = ellipsoid_samples(ctx, tilted, matrix, points);
  const Array<Complex> there = ellipsoid_samples(ctx, moved, matrix, points);
  const auto k = points.view<2>();
  for (Index i = 0; i < here.size(); ++i) {
    // By 0.2 * 6, -0.3 * 4.5 and 0.1 * 5 pixels.
    const Complex turn = std::polar(1.0, -2 * pi * (1.2 * k(i, 0) - 1.35 * k(i, 1) + 0.5 * k(i, 2)));
    EXPECT_LT(std::abs(there.data()[i] - turn * here.data()[i]), 1e-13 * std::abs(here.data()[0]));
  }
}

TEST(Ellipsoid, ObjectsAdd) {
  const Context ctx;
  const Array<double> points = points_2d(ctx);
  const std::span<const Ellipsoid> both = tilted;
  const Array<Complex> sum = ellipsoid_samples(ctx, both, {24, 19, 1}, points);
  const Array<Complex> first = ellipsoid_samples(ctx, both.first(1), {24, 19, 1}, points);
  const Array<Complex> second = ellipsoid_samples(ctx, both.last(1), {24, 19, 1}, points);
  for (Index i = 0; i < sum.size(); ++i) {
    EXPECT_LT(std::abs(sum.data()[i] - first.data()[i] - second.data()[i]), 1e-14 * std::abs(sum.data()[0]));
  }
}

// Around x = 0.1 the ball changes from a series to the closed form; the oracle is the closed form in long double, whose
// cancellation, x^3 / 3 out of x at x = 0.02, still leaves 1e-15.
TEST(Ellipsoid, SmallArgumentsOfTheBallAreExact) {
  const Context ctx;
  const std::vector<Ellipsoid> ball{{{0, 0, 0}, {1, 1, 1}, 0, 1}};
  Array<double> points = zeros<double>(ctx, {4, 3});
  const std::vector<double> x{0.02, 0.0999999, 0.1000001, 0.5};
  for (Index i = 0; i < 4; ++i) points.data()[3 * i + 1] = x[static_cast<std::size_t>(i)] / (2 * pi);
  const Array<Complex> samples = ellipsoid_samples(ctx, ball, {2, 2, 2}, points);
  for (Index i = 0; i < 4; ++i) {
    const long double y = x[static_cast<std::size_t>(i)];
    const auto exact =
        static_cast<double>(4 * std::numbers::pi_v<long double> * (std::sin(y) - y * std::cos(y)) / (y * y * y));
    EXPECT_NEAR(samples.data()[i].real() * std::sqrt(8.0), exact, 3e-13);
  }
}

TEST(Rasterize, AverageOverTheVoxel) {
  const Context ctx;
  // The right half of the field of view of 4 x 6, by an ellipse so large that its edge is straight at x = 0.
  const std::vector<Ellipsoid> half{{{1e6, 0, 0}, {1e6, 1e6, 1}, 0, 3}};
  const Array<float> image = rasterize<float>(ctx, half, {4, 6, 1}, 4);
  ASSERT_EQ(image.shape(), (Shape{6, 4}));
  for (Index y = 0; y < 6; ++y) {
    EXPECT_FLOAT_EQ(image.view<2>()(y, 1), 0);
    EXPECT_FLOAT_EQ(image.view<2>()(y, 2), 1.5);  // voxel floor(4/2) is cut in the middle
    EXPECT_FLOAT_EQ(image.view<2>()(y, 3), 3);
  }
}

TEST(Ellipsoid, BadInputIsRefused) {
  const Context ctx;
  const Array<double> points = points_2d(ctx);
  EXPECT_THROW(ellipsoid_samples(ctx, tilted, {24, 19, 5}, points), ShapeError);
  EXPECT_THROW(ellipsoid_samples(ctx, tilted, {24, 0, 1}, points), ValueError);
  Array<double> bad = clone(ctx, points.ref());
  bad.data()[3] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(ellipsoid_samples(ctx, tilted, {24, 19, 1}, bad), ValueError);
  const std::vector<Ellipsoid> flat{{{0, 0, 0}, {1, 0, 1}, 0, 1}};
  EXPECT_THROW(ellipsoid_samples(ctx, flat, {24, 19, 1}, points), ValueError);
  EXPECT_THROW(rasterize<float>(ctx, tilted, {4, 6, 1}, 0), ValueError);
}

}  // namespace
}  // namespace whorl
