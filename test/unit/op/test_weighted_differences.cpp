// Weighted differences against the dense matrix of their definition.
#include "whorl/op/weighted_differences.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <limits>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/recon/least_squares.hpp"

namespace whorl {
namespace {

using Matrix = Eigen::MatrixXcd;
using Vector = Eigen::VectorXcd;

// Pixels of an image [z, y, x] or [y, x]: position along an axis, and the pixel one further along it.
Index position(const Shape& image, int axis, Index pixel) {
  for (int behind = image.rank() - 1; behind > axis; --behind) pixel /= image[behind];
  return pixel % image[axis];
}

Index step(const Shape& image, int axis) {
  Index product = 1;
  for (int behind = axis + 1; behind < image.rank(); ++behind) product *= image[behind];
  return product;
}

// Row [a, r] has w (x[r+e_a] - x[r]) / (2 sqrt(dim)), or nothing at the end of axis a.
Matrix dense(const Shape& image, const std::vector<double>& weights) {
  const Index pixels = image.size();
  Matrix W = Matrix::Zero(image.rank() * pixels, pixels);
  for (int axis = 0; axis < image.rank(); ++axis) {
    for (Index r = 0; r < pixels; ++r) {
      if (position(image, axis, r) == image[axis] - 1) continue;
      const Index row = axis * pixels + r;
      const double factor = weights[static_cast<std::size_t>(row)] / (2 * std::sqrt(image.rank()));
      W(row, r + step(image, axis)) = factor;
      W(row, r) = -factor;
    }
  }
  return W;
}

template <class Real>
Vector on_host(const Context& ctx, const Array<std::complex<Real>>& array) {
  const Array<std::complex<Real>> here = to_host<const std::complex<Real>>(ctx, array);
  return Eigen::Map<const Eigen::Matrix<std::complex<Real>, Eigen::Dynamic, 1>>(here.data(), here.size())
      .template cast<std::complex<double>>();
}

// Each value is a sum of up to 6 products, which take some four roundings each; 8 eps of the vector's norm is beyond
// what 24 roundings of random sign leave (sqrt(24) eps / 2 of the size of the terms, some sqrt(2) of which cancel).
template <class Real>
constexpr double difference_rounding = 8 * std::numeric_limits<Real>::epsilon();

template <class Real>
void expect_dense(const Shape& image, bool weighted) {
  SCOPED_TRACE(to_string(image));
  const Context ctx = test::device_context(2);
  const Shape range = image.with_front(image.rank());
  Array<Real> weights = weighted ? test::random_weights<Real>(ctx, range, 9) : Array<Real>();
  std::vector<double> factors(static_cast<std::size_t>(range.size()), 1.0);
  if (weighted) {
    const Array<Real> here = to_host<const Real>(ctx, weights);
    std::copy(here.span().begin(), here.span().end(), factors.begin());
  }
  const Matrix matrix = dense(image, factors);
  const WeightedDifferences<Real> W(ctx, image, weights.share());
  ASSERT_EQ(W.range(), range);

  const auto x = test::random_array<Real>(ctx, image, 1);
  const auto y = test::random_array<Real>(ctx, range, 2);
  Array<std::complex<Real>> Wx(ctx, range);
  Array<std::complex<Real>> WHy(ctx, image);
  Array<std::complex<Real>> WHWx(ctx, image);
  W.forward(ctx, x, Wx);
  W.adjoint(ctx, y, WHy);
  W.normal(ctx, x, WHWx);
  const auto expect_near = [&](const Array<std::complex<Real>>& got, const Vector& expected) {
    EXPECT_LT((on_host<Real>(ctx, got) - expected).norm(), difference_rounding<Real> * expected.norm());
  };
  const Vector in = on_host<Real>(ctx, x);
  expect_near(Wx, matrix * in);
  expect_near(WHy, matrix.adjoint() * on_host<Real>(ctx, y));
  expect_near(WHWx, matrix.adjoint() * (matrix * in));
}

TEST(WeightedDifferences, AreTheirMatrix) {
  for (const bool weighted : {true, false}) {
    expect_dense<double>({5, 9}, weighted);
    expect_dense<double>({3, 7, 5}, weighted);
    expect_dense<float>({6, 35}, weighted);
    expect_dense<float>({4, 5, 9}, weighted);
  }
}

// An axis of one pixel has no differences.
TEST(WeightedDifferences, AnAxisOfOnePixel) {
  expect_dense<double>({1, 8}, true);
  expect_dense<double>({6, 1}, true);
  expect_dense<double>({3, 1, 5}, true);
}

// n pixels in a line: 2 - 2 cos(pi (n-1)/n), the largest of the path's eigenvalues; the axes add up, over 4 dim.
TEST(WeightedDifferences, TheNormStaysBelowOne) {
  const Context ctx = test::device_context(2);
  for (const Shape& image : {Shape{17, 40}, Shape{12, 9, 21}}) {
    double exact = 0;
    for (const Index n : image) exact += 2 + 2 * std::cos(std::acos(-1.0) / static_cast<double>(n));
    exact /= 4 * image.rank();
    const WeightedDifferences<double> W(ctx, image);
    const double found = normal_eigenvalue<double>(ctx, W);
    EXPECT_LE(found, exact * (1 + 1e-12));
    EXPECT_GT(found, (1 - 1e-3) * exact);
    EXPECT_LT(exact, 1);

    Array<double> weights = test::random_weights<double>(ctx, image.with_front(image.rank()), 3);
    const WeightedDifferences<double> weighted(ctx, image, weights.share());
    EXPECT_LE(normal_eigenvalue<double>(ctx, weighted), exact);
  }
}

TEST(WeightedDifferences, AConstantImageCostsNothing) {
  const Context ctx = test::device_context(2);
  const Shape image{5, 19, 12};
  Array<float> weights = test::random_weights<float>(ctx, image.with_front(3), 4);
  const WeightedDifferences<float> W(ctx, image, weights.share());
  Array<std::complex<float>> x(ctx, image);
  fill<std::complex<float>>(ctx, x, {3, -7});
  Array<std::complex<float>> y(ctx, W.range());
  fill<std::complex<float>>(ctx, y, {1, 1});
  W.forward(ctx, x, y);
  EXPECT_EQ(norm<float>(ctx, y), 0);
  Array<std::complex<float>> z(ctx, image);
  fill<std::complex<float>>(ctx, z, {1, 1});
  W.normal(ctx, x, z);
  EXPECT_EQ(norm<float>(ctx, z), 0);
}

TEST(WeightedDifferences, WhatDoesNotFitIsRefused) {
  const Context ctx = test::device_context();
  const auto make = [&](const Shape& image, const Shape& shape, double value) {
    Array<double> weights(ctx.host(), shape);
    fill<double>(weights, 1);
    weights.data()[weights.size() - 1] = value;
    WeightedDifferences<double>(ctx, image, clone<double>(ctx, weights));
  };
  EXPECT_NO_THROW(make({4, 5}, {2, 4, 5}, 0));
  EXPECT_THROW(make({4, 5}, {2, 5, 4}, 1), ShapeError);
  EXPECT_THROW(make({4, 5}, {3, 4, 5}, 1), ShapeError);
  EXPECT_THROW(make({4, 5}, {2, 4, 5}, 1.01), ValueError);
  EXPECT_THROW(make({4, 5}, {2, 4, 5}, -0.01), ValueError);
  EXPECT_THROW(make({4, 5}, {2, 4, 5}, std::nan("")), ValueError);
  EXPECT_THROW(WeightedDifferences<double>(ctx, {20}), ShapeError);
  EXPECT_THROW(WeightedDifferences<double>(ctx, {2, 3, 4, 5}), ShapeError);
  EXPECT_THROW(WeightedDifferences<double>(ctx, {0, 5}), ShapeError);
}

}  // namespace
}  // namespace whorl
