#include "whorl/op/wavelet.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

TEST(DaubechiesFilter, IsOrthogonalAndHasItsVanishingMoments) {
  for (int taps = 2; taps <= 20; taps += 2) {
    SCOPED_TRACE(taps);
    const std::vector<double> h = daubechies_filter(taps);
    ASSERT_EQ(h.size(), static_cast<std::size_t>(taps));
    EXPECT_NEAR(std::accumulate(h.begin(), h.end(), 0.0), std::sqrt(2), 1e-13);
    for (int m = 0; 2 * m < taps; ++m) {
      double sum = 0;
      for (int k = 0; k + 2 * m < taps; ++k) sum += h[k] * h[k + 2 * m];
      EXPECT_NEAR(sum, m == 0 ? 1 : 0, 1e-12);
    }
    // Its high-pass filter is blind to polynomials below degree taps / 2. Terms are up to taps^degree, of which rounding
    // leaves 1e-15.
    for (int degree = 0; degree < taps / 2; ++degree) {
      double sum = 0;
      for (int k = 0; k < taps; ++k) sum += (k % 2 == 0 ? 1 : -1) * std::pow(k, degree) * h[taps - 1 - k];
      EXPECT_NEAR(sum, 0, 1e-14 * std::pow(taps, degree));
    }
  }
}

// Daubechies, Ten lectures (1992), table 6.1: (1 + sqrt 3, 3 + sqrt 3, 3 - sqrt 3, 1 - sqrt 3) / (4 sqrt 2), with the large
// taps last, as the page on regularization says.
TEST(DaubechiesFilter, HasTheKnownFourTaps) {
  const std::vector<double> h = daubechies_filter(4);
  const double root = std::sqrt(3);
  const std::vector<double> expected{1 - root, 3 - root, 3 + root, 1 + root};
  for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(h[k], expected[k] / (4 * std::sqrt(2)), 1e-14);
}

TEST(DaubechiesFilter, RefusesOtherNumbersOfTaps) {
  for (const int taps : {0, 1, 3, 22, -2}) EXPECT_THROW(daubechies_filter(taps), ValueError);
}

TEST(Wavelet, KeepsNormsAndComesBackForAnyExtent) {
  const Context ctx = test::device_context();
  for (const Shape& shape : {Shape{1, 1}, Shape{2, 3}, Shape{5, 1}, Shape{37, 64}, Shape{7, 33, 18}, Shape{1, 40, 2},
                             Shape{3, 1, 16, 21}, Shape{2, 9, 5, 12}}) {
    for (const int taps : {2, 6, 10, 20}) {
      SCOPED_TRACE(to_string(shape) + " " + std::to_string(taps));
      const Wavelet<double> W(shape, {.taps = taps, .levels = 3});
      const auto x = test::random_array<double>(ctx, shape, 5);
      Array<Complex> c(ctx, shape);
      Array<Complex> back(ctx, shape);
      W.forward(ctx, x, c);
      W.adjoint(ctx, c, back);
      EXPECT_NEAR(norm<double>(ctx, c), norm<double>(ctx, x), 1e-12 * norm<double>(ctx, x));
      EXPECT_LT(test::relative_error(ctx, back, x), 1e-12);
    }
  }
}

// One level along one axis by the formulas of the header, for an odd line.
TEST(Wavelet, IsTheDocumentedSum) {
  const Context ctx = test::device_context();
  constexpr Index n = 11;
  constexpr int taps = 6;
  const std::vector<double> h = daubechies_filter(taps);
  const Wavelet<double> W({n, 1}, {.taps = taps, .levels = 1});
  const auto x = test::random_array<double>(ctx, {n, 1}, 5);
  Array<Complex> c(ctx, {n, 1});
  W.forward(ctx, x, c);
  const auto in = to_host<Complex>(ctx, x.ref());
  const auto out = to_host<Complex>(ctx, c.ref());
  for (Index i = 0; i < 5; ++i) {
    Complex low = 0;
    Complex high = 0;
    for (int k = 0; k < taps; ++k) {
      const Complex value = in.span()[static_cast<std::size_t>((2 * i + k) % 10)];
      low += h[k] * value;
      high += (k % 2 == 0 ? 1.0 : -1.0) * h[taps - 1 - k] * value;
    }
    EXPECT_LT(std::abs(out.span()[static_cast<std::size_t>(i)] - low), 1e-14);
    EXPECT_LT(std::abs(out.span()[static_cast<std::size_t>(6 + i)] - high), 1e-14);
  }
  EXPECT_EQ(out.span()[5], in.span()[10]);
  EXPECT_EQ(W.approximation()[1], 6);
}

// Smooth images have small details: those of a quadratic polynomial vanish but for the wrap around its ends.
TEST(Wavelet, IsBlindToPolynomials) {
  const Context ctx = test::device_context();
  constexpr Index n = 64;
  Array<Complex> line(ctx.host(), {1, n});
  for (Index i = 0; i < n; ++i) line.data()[i] = {0.3 + 0.02 * static_cast<double>(i * i), static_cast<double>(i)};
  const auto x = clone<Complex>(ctx, line.ref());
  Array<Complex> c(ctx, {1, n});
  Wavelet<double>({1, n}, {.taps = 6, .levels = 1}).forward(ctx, x, c);
  const auto out = to_host<Complex>(ctx, c.ref());
  for (std::size_t i = 0; i < 30; ++i) EXPECT_LT(std::abs(out.span()[32 + i]), 1e-11);  // of values up to 80
}

TEST(Wavelet, WithAShiftIsThatOfTheTurnedImage) {
  const Context ctx = test::device_context();
  const Shape shape{2, 5, 9, 14};
  const std::array<Index, 3> shift{3, 8, 5};
  const Wavelet<double> W(shape, {.taps = 4, .levels = 2});
  const auto x = test::random_array<double>(ctx, shape, 5);
  const auto here = to_host<Complex>(ctx, x.ref());
  Array<Complex> turned(ctx.host(), shape);
  for (Index f = 0; f < 2; ++f) {
    for (Index r = 0; r < 5 * 9 * 14; ++r) {
      const Index z = (r / 14 / 9 + shift[0]) % 5;
      const Index y = (r / 14 % 9 + shift[1]) % 9;
      turned.data()[f * 630 + r] = here.data()[f * 630 + (z * 9 + y) * 14 + (r % 14 + shift[2]) % 14];
    }
  }
  const auto turned_there = clone<Complex>(ctx, turned.ref());
  Array<Complex> expected(ctx, shape);
  W.forward(ctx, turned_there, expected);
  auto c = clone<Complex>(ctx, x.ref());
  Array<Complex> scratch(ctx, shape.with_front(2));
  W.analyze(ctx, shift, c, scratch);
  EXPECT_LT(test::relative_error(ctx, c, expected), 1e-14);
  W.synthesize(ctx, shift, c, scratch);
  EXPECT_LT(test::relative_error(ctx, c, x), 1e-13);
}

TEST(Wavelet, ChoosesItsLevels) {
  EXPECT_EQ(Wavelet<float>({256, 300}, {}).levels(), 4);     // 128, 64, 32, 16
  EXPECT_EQ(Wavelet<float>({1, 256, 256}, {}).levels(), 4);  // an axis of one element does not count
  EXPECT_EQ(Wavelet<float>({20, 300}, {}).levels(), 1);
  EXPECT_EQ(Wavelet<float>({20, 300}, {.levels = 9}).levels(), 9);  // 1 x 10 after five of them
  EXPECT_EQ(Wavelet<float>({1, 1}, {}).levels(), 0);
  EXPECT_THROW(Wavelet<float>({8, 8}, {.levels = -1}), ValueError);
  EXPECT_THROW(Wavelet<float>({8}, {}), ShapeError);
}

}  // namespace
}  // namespace whorl
