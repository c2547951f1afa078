// Transforms of one axis, between arbitrary positions, and derivatives with respect to the trajectory, against sums in
// double by their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/gridding.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/nufft_derivative.hpp"
#include "whorl/op/position_dft.hpp"
#include "whorl/op/position_nufft.hpp"
#include "whorl/op/tolerance_error.hpp"

namespace whorl {
namespace {

using Wide = std::complex<double>;

// sum_v x[v] exp(-2 pi i k_j . r_v) factor(v), for every j; `adjoint`: sum_j y[j] exp(+2 pi i k_j . r_v).
template <class Real>
std::vector<Wide> exact(ArrayRef<const double> k, ArrayRef<const double> r, const std::complex<Real>* values,
                        bool adjoint, const std::vector<Wide>& factor = {}) {
  const Index samples = k.extent(0);
  const Index positions = r.extent(0);
  std::vector<Wide> sums(static_cast<std::size_t>(adjoint ? positions : samples));
  for (Index j = 0; j < samples; ++j) {
    for (Index v = 0; v < positions; ++v) {
      double turns = 0;
      for (Index axis = 0; axis < k.extent(1); ++axis) turns += k.view<2>()(j, axis) * r.view<2>()(v, axis);
      Wide e = std::polar(1.0, -2 * std::numbers::pi * (turns - std::nearbyint(turns)));
      if (!factor.empty()) e *= factor[static_cast<std::size_t>(v)];
      if (adjoint) {
        sums[static_cast<std::size_t>(v)] += std::conj(e) * Wide(values[j]);
      } else {
        sums[static_cast<std::size_t>(j)] += e * Wide(values[v]);
      }
    }
  }
  return sums;
}

// The pixels of an image as positions [pixel, dim], x first.
Array<double> pixels_of(const Context& host, const Shape& image) {
  Array<double> r(host, {image.size(), image.rank()});
  for (Index pixel = 0; pixel < image.size(); ++pixel) {
    Index rest = pixel;
    for (int axis = image.rank() - 1; axis >= 0; --axis) {
      r.data()[pixel * image.rank() + (image.rank() - 1 - axis)] =
          static_cast<double>(rest % image[axis] - image[axis] / 2);
      rest /= image[axis];
    }
  }
  return r;
}

template <class Real>
double distance(const std::complex<Real>* found, const std::vector<Wide>& expected, double scale) {
  double square = 0;
  double all = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    square += std::norm(Wide(found[i]) - scale * expected[i]);
    all += std::norm(scale * expected[i]);
  }
  return std::sqrt(square / all);
}

// The tolerance bounds the root mean square over random values and positions; a sample of n of them has a relative
// spread of 1/sqrt(2 n), and the relative error's denominator too. For n of 200 and more, 1.3 is five spreads.
constexpr double margin = 1.3;

void expect_same_forward(const Context& ctx, const LinearOperator<float>& a, const LinearOperator<float>& b) {
  const auto x = test::random_array<float>(ctx, a.domain(), 3);
  Array<std::complex<float>> of_a(ctx, a.range());
  Array<std::complex<float>> of_b(ctx, b.range());
  a.forward(ctx, x, of_a);
  b.forward(ctx, x, of_b);
  const auto first = to_host<const std::complex<float>>(ctx, of_a);
  const auto second = to_host<const std::complex<float>>(ctx, of_b);
  EXPECT_TRUE(std::equal(first.span().begin(), first.span().end(), second.span().begin()));
}

template <class Real>
void check_line(Index pixels, Index samples, double tolerance) {
  SCOPED_TRACE(testing::Message() << pixels << " pixels, " << samples << " samples, " << tolerance << ", "
                                  << sizeof(Real));
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  constexpr Index coils = 5;
  const auto k = test::random_points(ctx, samples, 1);
  const Nufft<Real> nufft(ctx, k, {pixels}, coils, {.tolerance = tolerance});
  const auto x = test::random_array<Real>(ctx, nufft.domain(), 1);
  const auto y = test::random_array<Real>(ctx, nufft.range(), 2);
  Array<std::complex<Real>> forward(ctx, nufft.range());
  Array<std::complex<Real>> adjoint(ctx, nufft.domain());
  nufft.forward(ctx, x, forward);
  nufft.adjoint(ctx, y, adjoint);
  const auto r = pixels_of(host, {pixels});
  const auto on_host = [&](const auto& array) { return to_host<const std::complex<Real>>(ctx, array); };
  const auto hx = on_host(x), hy = on_host(y), hf = on_host(forward), ha = on_host(adjoint);
  const double scale = 1 / std::sqrt(static_cast<double>(pixels));
  for (Index c = 0; c < coils; ++c) {
    EXPECT_LT(distance(hf.data() + c * samples, exact(k, r, hx.data() + c * pixels, false), scale), margin * tolerance);
    EXPECT_LT(distance(ha.data() + c * pixels, exact(k, r, hy.data() + c * samples, true), scale), margin * tolerance);
  }
}

TEST(Nonuniform, OneAxisIsTheExactSum) {
  check_line<float>(301, 700, 1e-4);
  check_line<float>(64, 2000, 1e-3);
  check_line<double>(1024, 500, 1e-10);
  check_line<double>(200, 3000, 1e-6);
}

TEST(Nonuniform, OneAxisOfLongAndOfTinyImages) {
  check_line<double>(9000, 200, 1e-8);
  check_line<double>(2, 300, 1e-8);
  check_line<float>(1, 300, 1e-4);
}

TEST(Nonuniform, OneAxisHasNoConvolution) {
  const Context ctx = test::device_context();
  const auto k = test::random_points(ctx, 50, 1);
  EXPECT_THROW(Nufft<float>(ctx, k, {20}, 1, {.normal = NormalMethod::toeplitz}), Unsupported);
  const Nufft<float> automatic(ctx, k, {20}, 1, {.normal = NormalMethod::automatic});
  EXPECT_EQ(automatic.domain(), (Shape{1, 20}));
  EXPECT_THROW(Nufft<float>(ctx, k, {20, 20}, 1), ShapeError);
}

// Crowded samples of one sign, as sums in single precision lose them first: every sample in one cell adds 1.
TEST(Nonuniform, CrowdedSamplesOfOneAxis) {
  const Context ctx = test::device_context(2);
  constexpr Index samples = 200000;
  Array<double> k(ctx.host(), {samples, 1});
  for (double& value : k.span()) value = 0.1;
  const Gridding<float> gridding(ctx, k, {400}, Window(WindowKind::kaiser_bessel, 4, 2));
  Array<std::complex<float>> ones(ctx, gridding.range());
  fill<std::complex<float>>(ctx, ones, 1);
  Array<std::complex<float>> grid(ctx, gridding.domain());
  gridding.adjoint(ctx, ones, grid);
  // k of 0.1 is point 40, where the window is 1, to the 1e-6 of Gridding and the rounding of one float.
  EXPECT_NEAR(to_host<const std::complex<float>>(ctx, grid).data()[40].real(), samples, 2e-6 * samples);
}

template <class Real>
void check_positions(Index samples, Index positions, int dim, double extent, double offset, double tolerance) {
  SCOPED_TRACE(testing::Message() << dim << "D, extent " << extent << ", offset " << offset << ", " << tolerance << ", "
                                  << sizeof(Real));
  const Context ctx = test::device_context(2);
  auto k = test::random_points(ctx, samples, dim);
  auto r = test::random_points(ctx, positions, dim, 77);
  for (double& value : k.span()) value += 0.3 * offset;
  for (double& value : r.span()) value = extent * (value + offset);
  constexpr Index coils = 3;
  const PositionNufft<Real> op(ctx, k, r, coils, {.tolerance = tolerance});
  const auto x = test::random_array<Real>(ctx, op.domain(), 1);
  const auto y = test::random_array<Real>(ctx, op.range(), 2);
  Array<std::complex<Real>> forward(ctx, op.range());
  Array<std::complex<Real>> adjoint(ctx, op.domain());
  op.forward(ctx, x, forward);
  op.adjoint(ctx, y, adjoint);
  const auto on_host = [&](const auto& array) { return to_host<const std::complex<Real>>(ctx, array); };
  const auto hx = on_host(x), hy = on_host(y), hf = on_host(forward), ha = on_host(adjoint);
  for (Index c = 0; c < coils; ++c) {
    EXPECT_LT(distance(hf.data() + c * samples, exact(k, r, hx.data() + c * positions, false), 1), margin * tolerance);
    EXPECT_LT(distance(ha.data() + c * positions, exact(k, r, hy.data() + c * samples, true), 1), margin * tolerance);
  }
}

TEST(Nonuniform, ArbitraryPositionsAreTheExactSum) {
  check_positions<float>(400, 300, 1, 200, 0, 1e-4);
  check_positions<float>(400, 300, 2, 30, 0.4, 1e-3);
  check_positions<float>(300, 250, 3, 12, 0, 1e-4);
  check_positions<double>(400, 300, 1, 5000, 3, 1e-9);
  check_positions<double>(400, 300, 2, 20, -1, 1e-7);
  check_positions<double>(300, 250, 3, 9, 0.2, 1e-10);
}

TEST(Nonuniform, ArbitraryPositionsThatSpanLessThanATurn) {
  check_positions<double>(250, 250, 1, 1e-3, 0, 1e-9);
  check_positions<double>(250, 250, 2, 1e-3, 2, 1e-9);
}

TEST(Nonuniform, GuaranteedAccuracyHoldsForEachSample) {
  const Context ctx = test::device_context(2);
  const auto k = test::random_points(ctx, 300, 2);
  auto r = test::random_points(ctx, 200, 2, 77);
  for (double& value : r.span()) value *= 25;
  constexpr double tolerance = 1e-7;
  const PositionNufft<double> op(ctx, k, r, 1, {.tolerance = tolerance, .accuracy = NufftAccuracy::guaranteed});
  const auto x = test::random_array<double>(ctx, op.domain(), 1);
  Array<Wide> y(ctx, op.range());
  op.forward(ctx, x, y);
  const auto hx = to_host<const Wide>(ctx, x), hy = to_host<const Wide>(ctx, y);
  const auto expected = exact(k, r, hx.data(), false);
  double sum = 0;
  for (const Wide value : hx.span()) sum += std::abs(value);
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_LT(std::abs(hy.data()[j] - expected[j]), tolerance * sum);
}

// Arrays from Python do on a GPU. The plan is the same, so the results have the same bits.
TEST(Nonuniform, PositionsMayLieOnTheDevice) {
  const Context ctx = test::device_context();
  const Array<double> line = test::random_points(ctx.host(), 300, 1, 7);
  const Array<double> there = clone<const double>(ctx, line);
  expect_same_forward(ctx, Nufft<float>(ctx, line, {64}, 1), Nufft<float>(ctx, there, {64}, 1));
  for (int dim = 1; dim <= 3; ++dim) {
    const Array<double> k = test::random_points(ctx.host(), 300, dim, 8);
    const Array<double> r = pixels_of(ctx.host(), Shape(std::vector<Index>(static_cast<std::size_t>(dim), 5)));
    expect_same_forward(ctx, PositionNufft<float>(ctx, k, r, 1),
                        PositionNufft<float>(ctx, clone<const double>(ctx, k), clone<const double>(ctx, r), 1));
    expect_same_forward(ctx, PositionDft<float>(ctx, k, r, 1),
                        PositionDft<float>(ctx, clone<const double>(ctx, k), clone<const double>(ctx, r), 1));
  }
}

TEST(Nonuniform, WhatPositionsCannotBe) {
  const Context ctx = test::device_context();
  auto k = test::random_points(ctx, 20, 2);
  auto r = test::random_points(ctx, 20, 2);
  EXPECT_THROW(PositionNufft<float>(ctx, k, test::random_points(ctx, 20, 3), 1), ShapeError);
  EXPECT_THROW(PositionNufft<float>(ctx, k, r, 0), ShapeError);
  EXPECT_THROW(PositionNufft<float>(ctx, k, Array<double>(ctx.host(), {0, 2}), 1), ShapeError);
  EXPECT_THROW(PositionNufft<float>(ctx, k, r, 1, {.tolerance = 1e-9}), ToleranceError);  // of single precision
  r.data()[3] = 1e20;
  EXPECT_THROW(PositionNufft<float>(ctx, k, r, 1), ValueError);  // no grid is that large
  r.data()[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(PositionNufft<float>(ctx, k, r, 1), ValueError);
}

template <class Real>
void check_derivative(const Shape& image, double tolerance) {
  SCOPED_TRACE(testing::Message() << to_string(image) << ", " << sizeof(Real));
  const Context ctx = test::device_context(2);
  const Context host = ctx.host();
  constexpr Index samples = 400;
  constexpr Index coils = 2;
  const auto k = test::random_points(ctx, samples, image.rank());
  const Nufft<Real> nufft(ctx, k, image, coils, {.tolerance = tolerance, .accuracy = NufftAccuracy::guaranteed});
  const NufftDerivative<Real> derivative(ctx, nufft);
  ASSERT_EQ(derivative.range(), (Shape{image.rank(), coils, samples}));
  const auto x = test::random_array<Real>(ctx, nufft.domain(), 1);
  Array<std::complex<Real>> y(ctx, derivative.range());
  derivative.forward(ctx, x, y);
  const auto hx = to_host<const std::complex<Real>>(ctx, x), hy = to_host<const std::complex<Real>>(ctx, y);
  const auto r = pixels_of(host, image);
  const double scale = 1 / std::sqrt(static_cast<double>(image.size()));
  for (int axis = 0; axis < image.rank(); ++axis) {
    std::vector<Wide> factor;
    for (Index v = 0; v < image.size(); ++v) factor.emplace_back(0, -2 * std::numbers::pi * r.view<2>()(v, axis));
    for (Index c = 0; c < coils; ++c) {
      const auto expected = exact(k, r, hx.data() + c * image.size(), false, factor);
      // Every entry of the matrix is right to the tolerance, so the error of random phases is too.
      EXPECT_LT(distance(hy.data() + (axis * coils + c) * samples, expected, scale), margin * tolerance);
    }
  }
}

TEST(Nonuniform, DerivativesWithRespectToTheTrajectory) {
  check_derivative<float>({90}, 1e-4);
  check_derivative<double>({14, 21}, 1e-8);
  check_derivative<float>({14, 21}, 1e-4);
  check_derivative<double>({6, 9, 7}, 1e-8);
}

}  // namespace
}  // namespace whorl
