#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
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
using test::Plane;

// Directions and lengths of all orders, from the center over the change to the closed form to beyond Nyquist.
Array<double> many_points(const Context& ctx) {
  const std::vector<double> lengths{0, 1e-9, 1e-5, 1e-3, 1.9e-3, 2.1e-3, 4e-3, 0.03, 0.2, 0.5, 0.7};
  Array<double> points(ctx, {static_cast<Index>(3 * lengths.size()), 2});
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    for (std::size_t turn = 0; turn < 3; ++turn) {
      const double angle = 0.4 + 2.2 * static_cast<double>(turn);
      points.span()[6 * i + 2 * turn] = lengths[i] * std::cos(angle);
      points.span()[6 * i + 2 * turn + 1] = lengths[i] * std::sin(angle);
    }
  }
  return points;
}

// In halves of the field of view; the matrix stretches them to pixels.
const std::vector<Plane> star{{0.5, -0.1}, {0.75, 0.45}, {0.2, 0.15}, {-0.35, 0.6},
                              {-0.25, 0},  {-0.6, -0.5}, {0.1, -0.3}};
const std::array<Index, 3> matrix{24, 32, 1};

std::vector<Plane> in_pixels(std::vector<Plane> points) {
  for (Plane& point : points) point = {12 * point[0], 16 * point[1]};
  return points;
}

// The largest distance between samples and the oracle, relative to the value at k = 0.
template <class Oracle>
double largest_error(const Context& ctx, const Phantom& phantom, const Oracle& oracle) {
  const Array<double> points = many_points(ctx);
  const Array<Complex> samples = phantom_samples(ctx, phantom, matrix, points);
  const double scale = std::sqrt(24.0 * 32);
  double largest = 0;
  for (Index i = 0; i < samples.size(); ++i) {
    const Plane k{points.data()[2 * i], points.data()[2 * i + 1]};
    largest = std::max(largest, std::abs(samples.data()[i] * scale - oracle(k)));
  }
  return largest / (std::abs(samples.data()[0]) * scale);
}

Complex polygon_oracle(const std::vector<Plane>& corners, const Plane& k) {
  const auto corner = [&](int i) { return corners[static_cast<std::size_t>(i) % corners.size()]; };
  const auto slope = [&](double t) -> Plane {
    const int edge = static_cast<int>(t);
    return {corner(edge + 1)[0] - corner(edge)[0], corner(edge + 1)[1] - corner(edge)[1]};
  };
  const auto place = [&](double t) -> Plane {
    const int edge = static_cast<int>(t);
    const double along = t - edge;
    return {corner(edge)[0] + along * slope(t)[0], corner(edge)[1] + along * slope(t)[1]};
  };
  return test::fan_transform(static_cast<int>(corners.size()), place, slope, k, 25);
}

TEST(Contours, PolygonsAreTheIntegralOverTheirArea) {
  const Context ctx;
  const Contour contour{ContourKind::polygon, star};
  EXPECT_LT(
      largest_error(ctx, one_figure(2, contour), [&](const Plane& k) { return polygon_oracle(in_pixels(star), k); }),
      1e-12);
}

TEST(Contours, ARectangleIsABox) {
  const Context ctx;
  // The matrix is square here, for a turned rectangle to stay one.
  const Solid box{SolidKind::box, {0.1, -0.2, 0}, {0.6, 0.3, 1}, 0.5};
  std::vector<Plane> corners;
  for (const Plane& corner : {Plane{1, 1}, Plane{-1, 1}, Plane{-1, -1}, Plane{1, -1}}) {
    const Plane turned{0.6 * corner[0], 0.3 * corner[1]};
    corners.push_back({0.1 + std::cos(0.5) * turned[0] - std::sin(0.5) * turned[1],
                       -0.2 + std::sin(0.5) * turned[0] + std::cos(0.5) * turned[1]});
  }
  const Array<double> points = many_points(ctx);
  const Array<Complex> a = phantom_samples(ctx, one_figure(2, box), {32, 32, 1}, points);
  const Array<Complex> b =
      phantom_samples(ctx, one_figure(2, Contour{ContourKind::polygon, corners}), {32, 32, 1}, points);
  for (Index i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a.data()[i] - b.data()[i]), 1e-12 * std::abs(a.data()[0]));
}

// The right triangle of legs a and b at the origin: integral_0^a dx exp(-i u x) integral_0^(b - b x / a) dy exp(-i v y)
// = i / v * (b' - a'), with a' = (1 - exp(-i u a)) / (i u) and b' = exp(-i v b) (1 - exp(-i (u - v b / a) a)) /
// (i (u - v b / a)).
TEST(Contours, ATriangleInClosedForm) {
  const Context ctx;
  const double a = 9;
  const double b = 12;
  Array<double> points(ctx, {1, 2});
  points.data()[0] = 0.17;
  points.data()[1] = -0.29;
  const double u = 2 * pi * 0.17;
  const double v = -2 * pi * 0.29;
  const auto leg = [&](double w) { return (1.0 - std::polar(1.0, -w * a)) / Complex(0, w); };
  const Complex expected = Complex(0, 1 / v) * (std::polar(1.0, -v * b) * leg(u - v * b / a) - leg(u));
  const Contour triangle{ContourKind::polygon, {{0, 0}, {0.75, 0}, {0, 0.75}}};
  const Array<Complex> sample = phantom_samples(ctx, one_figure(2, triangle), matrix, points);
  EXPECT_LT(std::abs(sample.data()[0] * std::sqrt(24.0 * 32) - expected), 1e-13 * a * b);
}

TEST(Contours, SplinesAreTheIntegralOverTheirArea) {
  const Context ctx;
  for (const std::size_t count : {3U, 5U, 7U}) {  // the fewer the points, the longer and more bent the pieces
    const std::vector<Plane> points(star.begin(), star.begin() + static_cast<std::ptrdiff_t>(count));
    const auto pixels = in_pixels(points);
    const auto oracle = [&](const Plane& k) {
      return test::fan_transform(
          static_cast<int>(count), [&](double t) { return test::spline_place(pixels, t, false); },
          [&](double t) { return test::spline_place(pixels, t, true); }, k, 25);
    };
    EXPECT_LT(largest_error(ctx, one_figure(2, Contour{ContourKind::spline, points}), oracle), 1e-9) << count;
  }
}

// A polygon on the curve with edges of length h errs by its sagitta, h^2 / (8 R): with 200 edges a piece (about 9
// pixels, h = 0.05) and curvatures down to R = 1 along 40 pixels of curve, 40 * 3e-4 * 2 / 3 = 8e-3 of some 150 pixels.
TEST(Contours, ASplineIsTheLimitOfPolygons) {
  const Context ctx;
  std::vector<Plane> corners;
  for (int i = 0; i < 1400; ++i) corners.push_back(test::spline_place(star, i / 200.0, false));
  const Array<double> points = many_points(ctx);
  const Array<Complex> a = phantom_samples(ctx, one_figure(2, Contour{ContourKind::spline, star}), matrix, points);
  const Array<Complex> b = phantom_samples(ctx, one_figure(2, Contour{ContourKind::polygon, corners}), matrix, points);
  for (Index i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a.data()[i] - b.data()[i]), 6e-5 * std::abs(a.data()[0]));
}

TEST(Contours, EitherSenseOfRotationIsTheSame) {
  const Context ctx;
  std::vector<Plane> back = star;
  std::reverse(back.begin(), back.end());
  const Array<double> points = many_points(ctx);
  for (const ContourKind kind : {ContourKind::polygon, ContourKind::spline}) {
    const Array<Complex> a = phantom_samples(ctx, one_figure(2, Contour{kind, star}), matrix, points);
    const Array<Complex> b = phantom_samples(ctx, one_figure(2, Contour{kind, back}), matrix, points);
    EXPECT_GT(a.data()[0].real(), 0);
    for (Index i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a.data()[i] - b.data()[i]), 1e-12 * std::abs(a.data()[0]));
  }
}

TEST(Contours, RealObjectsHaveHermitianTransforms) {
  const Context ctx;
  Array<double> points = many_points(ctx);
  const Phantom phantom = one_figure(2, Contour{ContourKind::spline, star});
  const Array<Complex> a = phantom_samples(ctx, phantom, matrix, points);
  for (double& k : points.span()) k = -k;
  const Array<Complex> b = phantom_samples(ctx, phantom, matrix, points);
  for (Index i = 0; i < a.size(); ++i) {
    EXPECT_LT(std::abs(a.data()[i] - std::conj(b.data()[i])), 1e-12 * std::abs(a.data()[0]));
  }
}

TEST(Contours, APrismOfARectangleIsABox) {
  const Context ctx;
  const Solid box{SolidKind::box, {0.1, -0.2, 0.3}, {0.6, 0.3, 0.45}, 0};
  const Contour prism{ContourKind::polygon, {{-0.5, -0.5}, {0.7, -0.5}, {0.7, 0.1}, {-0.5, 0.1}}, 0.3, 0.45};
  Array<double> points(ctx, {5, 3});
  const std::vector<double> values{0, 0, 0, 0.06, 0, 0, 0, -0.1, 0.15, 0.21, 0.13, -0.2, -0.37, 0.44, 0.3};
  std::copy(values.begin(), values.end(), points.data());
  const Array<Complex> a = phantom_samples(ctx, one_figure(3, box), {12, 9, 10}, points);
  const Array<Complex> b = phantom_samples(ctx, one_figure(3, prism), {12, 9, 10}, points);
  for (Index i = 0; i < a.size(); ++i) EXPECT_LT(std::abs(a.data()[i] - b.data()[i]), 1e-12 * std::abs(a.data()[0]));
}

// Cells of 1/32 pixel: the edge of 60 pixels crosses 2000 of them, whose errors add at random to sqrt(2000) / 3 cells
// of the 1.5e5 inside, 1e-4; that of the value of a cell, weighed down the same.
TEST(Contours, RasterAndTransformShowTheSameSpline) {
  const Context ctx;
  const Phantom phantom = one_figure(2, Contour{ContourKind::spline, star});
  const Array<double> points = many_points(ctx);
  const Array<Complex> samples = phantom_samples(ctx, phantom, matrix, points);
  const Array<Complex> oracle = test::fine_transform(ctx, phantom, matrix, points, 8, 4);
  for (Index i = 0; i < samples.size(); ++i) {
    if (std::hypot(points.data()[2 * i], points.data()[2 * i + 1]) > 0.5) continue;
    EXPECT_LT(std::abs(samples.data()[i] - oracle.data()[i]), 5e-4 * std::abs(samples.data()[0])) << "point " << i;
  }
}

TEST(Contours, AbsurdPositionsAreRefused) {
  const Context ctx;
  Array<double> points = zeros<double>(ctx, {2, 2});
  const Phantom phantom = one_figure(2, Contour{ContourKind::spline, star});
  points.data()[0] = 1e6;
  EXPECT_THROW(phantom_samples(ctx, phantom, matrix, points), ValueError);
  points.data()[0] = 1e300;
  EXPECT_THROW(phantom_samples(ctx, phantom, matrix, points), ValueError);
}

}  // namespace
}  // namespace whorl
