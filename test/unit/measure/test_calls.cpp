// Calls find the precision from any kind of array, and refuse other types.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstdint>

#include "support/compare.hpp"
#include "whorl/calib/combine.hpp"
#include "whorl/core/random.hpp"
#include "whorl/density/normalize.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"
#include "whorl/measure/error_measures.hpp"
#include "whorl/measure/scaled_error.hpp"
#include "whorl/measure/ssim.hpp"

namespace whorl {
namespace {

template <class T>
concept HasDot = requires(const Context& ctx, const Array<T>& x) {
  dot(ctx, x, x);
};
static_assert(HasDot<std::complex<float>> && HasDot<std::complex<double>>);
static_assert(!HasDot<float> && !HasDot<int> && !HasDot<std::complex<long double>>);

template <class T>
concept HasError = requires(const Context& ctx, const Array<T>& x) {
  scaled_error(ctx, x, x);
};
static_assert(HasError<float> && HasError<std::complex<double>>);
static_assert(!HasError<int> && !HasError<std::uint8_t> && !HasError<std::complex<int>>);

template <class T, class U>
concept HasToComplex = requires(const Context& ctx, const Array<T>& x, Array<U>& y) {
  to_complex(ctx, x, y);
};
static_assert(HasToComplex<float, std::complex<float>>);
static_assert(!HasToComplex<float, std::complex<double>> && !HasToComplex<int, std::complex<int>>);

template <class T>
class Calls : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Calls, Precisions);

// Each with an array, a const array, a reference, a reference for reading, and a temporary array.
TYPED_TEST(Calls, DeduceFromArraysAndReferences) {
  using Real = TypeParam;
  using Complex = std::complex<Real>;
  const Context ctx;
  Array<Complex> x(ctx, {2, 12, 12});
  fill_random_normal(x, 3);
  const Array<Complex> y = clone(ctx, x);
  const ArrayRef<Complex> writable = x;
  const ArrayRef<const Complex> readable = y;

  const double energy = dot(ctx, x, y).real();
  EXPECT_DOUBLE_EQ(dot(ctx, writable, readable).real(), energy);
  EXPECT_DOUBLE_EQ(dot(ctx, clone(ctx, x), y).real(), energy);
  EXPECT_DOUBLE_EQ(norm(ctx, x), std::sqrt(energy));

  Array<Complex> sum = clone(ctx, x);
  axpby(ctx, 1, y, 1, sum);
  axpby(ctx, 1, readable, 1, sum.ref());
  // Sums of three equal numbers: one rounding each.
  EXPECT_NEAR(norm(ctx, sum) / std::sqrt(energy), 3, 1e-6);
  EXPECT_LT(scaled_error(ctx, sum, y).nrmse, 1e-6);
  EXPECT_LT(scaled_error(ctx, writable, readable).nrmse, 1e-6);
  EXPECT_EQ(error_measures(ctx, x, y).mse, 0);
  EXPECT_GT(peak_of(ctx, y), 0);

  const Array<Real> size = magnitude(ctx, x);
  Array<Complex> complex_size(ctx, size.shape());
  to_complex(ctx, size, complex_size);
  EXPECT_EQ(complex_size.span()[7], Complex(std::abs(y.span()[7])));
  EXPECT_NEAR(ssim(ctx, size, magnitude(ctx, y)), 1, 1e-12);

  const Array<Real> combined = root_sum_of_squares(ctx, x);
  EXPECT_EQ(combined.shape(), (Shape{12, 12}));
  EXPECT_EQ(matched_combination(ctx, x, unit_maps(ctx, readable)).shape(), (Shape{12, 12}));

  Array<Real> weights(ctx, {12});
  fill(weights, 3);
  normalize_weights(weights);
  EXPECT_EQ(weights.span()[5], 1);
  multiply_weights(ctx, weights, x, sum);
  EXPECT_EQ(test::relative_error(sum, y), 0);

  centered_fft(ctx, FftDirection::forward, sum, 2);
  centered_fft(ctx, FftDirection::inverse, sum.ref(), 2);
  EXPECT_LT(test::relative_error(sum, y), 1e-5);
}

}  // namespace
}  // namespace whorl
