#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <vector>

#include "support/fine_transform.hpp"
#include "unit/phantom/phantom_oracles.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/phantom.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;
using test::one_figure;

// A solid of each kind, all turned.
Phantom tilted(int dim) {
  Phantom phantom;
  phantom.dim = dim;
  phantom.regions = {{Solid{SolidKind::ellipsoid, {0.1, -0.2, 0.15}, {0.6, 0.3, 0.45}, 0.4}, {1.5}},
                     {Solid{SolidKind::box, {-0.3, 0.4, -0.2}, {0.2, 0.35, 0.3}, -0.7}, {-0.5}},
                     {Solid{SolidKind::cylinder, {0.3, 0.35, 0.1}, {0.25, 0.4, 0.5}, 1.1}, {0.75}}};
  return phantom;
}

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
TEST(Solids, SamplesAreTheTransformOfAFineRaster2D) {
  const Context ctx;
  const std::array<Index, 3> matrix{24, 19, 1};
  const Array<double> points = points_2d(ctx);
  const Array<Complex> samples = phantom_samples(ctx, tilted(2), matrix, points);
  const Array<Complex> oracle = test::fine_transform(ctx, tilted(2), matrix, points, 8, 8);
  for (Index i = 0; i < samples.size(); ++i) {
    EXPECT_LT(std::abs(samples.data()[i] - oracle.data()[i]), 5e-4 * std::abs(samples.data()[0])) << "point " << i;
  }
}

// As before with cells of 1/12 pixel, rho about 40: the error of the volume is of the order rho^(-1.5), 4e-3. The flat
// ends of the cylinder fall between the planes of the lattice, of which it spans 60: half a plane at each end would be
// 1 / 60 of its 0.6 of the whole, 1e-2.
TEST(Solids, SamplesAreTheTransformOfAFineRaster3D) {
  const Context ctx;
  const std::array<Index, 3> matrix{12, 9, 10};
  const Array<double> points = points_3d(ctx);
  const Array<Complex> samples = phantom_samples(ctx, tilted(3), matrix, points);
  const Array<Complex> oracle = test::fine_transform(ctx, tilted(3), matrix, points, 4, 3);
  for (Index i = 0; i < samples.size(); ++i) {
    EXPECT_LT(std::abs(samples.data()[i] - oracle.data()[i]), 1e-2 * std::abs(samples.data()[0])) << "point " << i;
  }
}

TEST(Solids, TheCenterOfKSpaceIsTheVolume) {
  const Context ctx;
  const auto center_of = [&](SolidKind kind, const std::array<Index, 3>& matrix) {
    const int dim = matrix[2] > 1 ? 3 : 2;
    Phantom phantom = one_figure(dim, Solid{kind, {0.3, 0.1, -0.2}, {0.5, 0.25, 0.75}, 1});
    phantom.regions[0].added.intensity = 2;
    return phantom_samples(ctx, phantom, matrix, zeros<double>(ctx, {1, dim})).data()[0].real();
  };
  // Half-axes of 4, 2.5 and 4.5 pixels.
  EXPECT_NEAR(center_of(SolidKind::ellipsoid, {16, 20, 1}), 2 * pi * 4 * 2.5 / std::sqrt(320.0), 1e-13);
  EXPECT_NEAR(center_of(SolidKind::cylinder, {16, 20, 1}), 2 * pi * 4 * 2.5 / std::sqrt(320.0), 1e-13);
  EXPECT_NEAR(center_of(SolidKind::box, {16, 20, 1}), 2 * 4 * 4 * 2.5 / std::sqrt(320.0), 1e-13);
  EXPECT_NEAR(center_of(SolidKind::ellipsoid, {16, 20, 12}), 2 * 4 * pi / 3 * 4 * 2.5 * 4.5 / std::sqrt(3840.0), 1e-12);
  EXPECT_NEAR(center_of(SolidKind::cylinder, {16, 20, 12}), 2 * 2 * pi * 4 * 2.5 * 4.5 / std::sqrt(3840.0), 1e-12);
  EXPECT_NEAR(center_of(SolidKind::box, {16, 20, 12}), 2 * 8 * 4 * 2.5 * 4.5 / std::sqrt(3840.0), 1e-12);
}

// The closed forms at one point each, in the axes of the figure. x = 2 pi k a.
TEST(Solids, ClosedFormsAlongTheAxes) {
  const Context ctx;
  Array<double> points(ctx, {1, 3});
  points.data()[0] = 0.11;
  points.data()[1] = -0.23;
  points.data()[2] = 0.31;
  const std::array<double, 3> x{2 * pi * 0.11 * 3, 2 * pi * -0.23 * 2, 2 * pi * 0.31 * 1.25};
  const auto sample = [&](SolidKind kind) {
    const Solid solid{kind, {0, 0, 0}, {0.6, 0.25, 0.5}, 0};  // 3, 2 and 1.25 pixels
    return phantom_samples(ctx, one_figure(3, solid), {10, 16, 5}, points).data()[0] * std::sqrt(800.0);
  };
  const auto interval = [&](std::size_t axis, double half) { return 2 * half * std::sin(x[axis]) / x[axis]; };
  EXPECT_LT(std::abs(sample(SolidKind::box) - interval(0, 3) * interval(1, 2) * interval(2, 1.25)), 60 * 1e-14);
  const double radius = std::hypot(x[0], x[1]);
  const double disk = 2 * pi * 3 * 2 * std::cyl_bessel_j(1, radius) / radius;
  EXPECT_LT(std::abs(sample(SolidKind::cylinder) - disk * interval(2, 1.25)), 50 * 1e-13);
}

TEST(Solids, AMovedObjectTurnsThePhase) {
  const Context ctx;
  Phantom moved = tilted(3);
  for (Region& region : moved.regions) {
    auto& center = std::get<Solid>(region.figure).center;
    for (std::size_t axis = 0; axis < 3; ++axis) center[axis] += std::array{0.2, -0.3, 0.1}[axis];
  }
  const std::array<Index, 3> matrix{12, 9, 10};
  const Array<double> points = points_3d(ctx);
  const Array<Complex> here = phantom_samples(ctx, tilted(3), matrix, points);
  const Array<Complex> there = phantom_samples(ctx, moved, matrix, points);
  const auto k = points.view<2>();
  for (Index i = 0; i < here.size(); ++i) {
    // By 0.2 * 6, -0.3 * 4.5 and 0.1 * 5 pixels.
    const Complex turn = std::polar(1.0, -2 * pi * (1.2 * k(i, 0) - 1.35 * k(i, 1) + 0.5 * k(i, 2)));
    EXPECT_LT(std::abs(there.data()[i] - turn * here.data()[i]), 1e-13 * std::abs(here.data()[0]));
  }
}

// Equal solids at several places are transformed together, others alone.
TEST(Solids, ObjectsAdd) {
  const Context ctx;
  Phantom many = tilted(2);
  for (const double shift : {0.1, 0.25, -0.4}) {
    Region copy = many.regions[1];
    std::get<Solid>(copy.figure).center[0] += shift;
    copy.added.intensity = 1 + shift;
    many.regions.push_back(copy);
  }
  const Array<double> points = points_2d(ctx);
  const Array<Complex> sum = phantom_samples(ctx, many, {24, 19, 1}, points);
  std::vector<Complex> expected(6);
  for (const Region& region : many.regions) {
    Phantom single;
    single.regions = {region};
    const Array<Complex> part = phantom_samples(ctx, single, {24, 19, 1}, points);
    for (std::size_t i = 0; i < 6; ++i) expected[i] += part.span()[i];
  }
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_LT(std::abs(sum.span()[i] - expected[i]), 1e-13 * std::abs(expected[0]));
  }
}

// Around x = 0.1 the ball changes from a series to the closed form; the oracle is the closed form in long double, whose
// cancellation, x^3 / 3 out of x at x = 0.02, still leaves 1e-15.
// The factors of the sum, the phase among them, each round values of 4 by 4e-16.
TEST(Solids, SmallArgumentsOfTheBallAreExact) {
  const Context ctx;
  Array<double> points = zeros<double>(ctx, {4, 3});
  const std::vector<double> x{0.02, 0.5, 0.9999999, 1.0000001};
  for (Index i = 0; i < 4; ++i) points.data()[3 * i + 1] = x[static_cast<std::size_t>(i)] / (2 * pi);
  const Array<Complex> samples = phantom_samples(ctx, one_figure(3, Solid{}), {2, 2, 2}, points);
  for (Index i = 0; i < 4; ++i) {
    const long double y = x[static_cast<std::size_t>(i)];
    const auto exact =
        static_cast<double>(4 * std::numbers::pi_v<long double> * (std::sin(y) - y * std::cos(y)) / (y * y * y));
    EXPECT_NEAR(samples.data()[i].real() * std::sqrt(8.0), exact, 2e-14);
  }
}

// The disk's transform 2 pi J1(x) / x against the C library's J1, whose own error is some 1e-16 (x below 8) to 1e-15 of the
// amplitude sqrt(2 / (pi x)); x is rounded by 1e-16 x, which turns the wave by as much.
TEST(Solids, TheDiskIsABesselFunction) {
  const Context ctx;
  std::vector<double> x{1e-9, 0.3, 1, 3.8317, 7.9999999, 8.0000001, 11, 25.5, 60.25, 200, 402};
  constexpr double half = 128;  // pixels in the radius
  Array<double> points = zeros<double>(ctx, {static_cast<Index>(x.size()), 2});
  for (std::size_t i = 0; i < x.size(); ++i) points.data()[2 * i] = x[i] / (2 * pi * half);
  const Array<Complex> samples = phantom_samples(ctx, one_figure(2, Solid{}), {256, 256, 1}, points);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double amplitude = std::min(0.5, std::sqrt(2 / (pi * x[i])) / x[i]);
    EXPECT_NEAR(samples.data()[i].real() * 256 / (half * half * 2 * pi), ::j1(x[i]) / x[i],
                amplitude * (4e-15 + 4e-16 * x[i]))
        << x[i];
  }
}

TEST(Phantom, BadInputIsRefused) {
  const Context ctx;
  const Array<double> points = points_2d(ctx);
  const auto samples = [&](const PhantomFigure& figure) {
    phantom_samples(ctx, one_figure(2, figure), {24, 19, 1}, points);
  };
  EXPECT_THROW(phantom_samples(ctx, tilted(3), {24, 19, 5}, points), ShapeError);
  EXPECT_THROW(phantom_samples(ctx, tilted(2), {24, 19, 5}, points_3d(ctx)), ValueError);
  EXPECT_THROW(phantom_samples(ctx, tilted(2), {24, 0, 1}, points), ValueError);
  Array<double> bad = clone(ctx, points.ref());
  bad.data()[3] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(phantom_samples(ctx, tilted(2), {24, 19, 1}, bad), ValueError);
  EXPECT_THROW(samples(Solid{SolidKind::box, {0, 0, 0}, {1, 0, 1}, 0}), ValueError);
  EXPECT_THROW(samples(Solid{SolidKind::box, {0, 0, 0}, {1, 1, 1}, std::nan("")}), ValueError);
  EXPECT_THROW(samples(Contour{ContourKind::polygon, {{0, 0}, {1, 0}}}), ValueError);
  EXPECT_THROW(samples(Contour{ContourKind::spline, {{0, 0}, {1, 0}, {0, std::nan("")}}}), ValueError);
  EXPECT_THROW(samples(Contour{ContourKind::spline, {{0, 0}, {1, 0}, {0, 1}}, 0, 0}), ValueError);
  Phantom phantom = tilted(2);
  phantom.regions[1].added.r2_star = std::numeric_limits<double>::infinity();
  EXPECT_THROW(phantom_samples(ctx, phantom, {24, 19, 1}, points), ValueError);
}

TEST(Phantom, SamplesStopWhenAskedTo) {
  const Context ctx;
  ctx.request_cancel();
  EXPECT_THROW(phantom_samples(ctx, tilted(2), {24, 19, 1}, points_2d(ctx)), Cancelled);
}

}  // namespace
}  // namespace whorl
