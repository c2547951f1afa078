#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "whorl/core/random.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/math/fft.hpp"

namespace whorl {
namespace {

using ComplexDouble = std::complex<double>;

// The definition, summed in double; `center` is the index of the origin along each axis.
Array<ComplexDouble> exact(const Context& ctx, ArrayRef<const ComplexDouble> in, double sign, bool centered) {
  Array<ComplexDouble> out = zeros<ComplexDouble>(ctx, in.shape());
  const auto x = in.view<3>();
  const auto y = out.view<3>();
  const auto phase = [centered](Index k, Index n, Index extent) {
    const Index center = centered ? extent / 2 : 0;
    // Whole turns are dropped in integers, where that is exact.
    return static_cast<double>((k - center) * (n - center) % extent) / static_cast<double>(extent);
  };
  for (Index a = 0; a < y.extent(0); ++a)
    for (Index b = 0; b < y.extent(1); ++b)
      for (Index c = 0; c < y.extent(2); ++c)
        for (Index i = 0; i < x.extent(0); ++i)
          for (Index j = 0; j < x.extent(1); ++j)
            for (Index k = 0; k < x.extent(2); ++k) {
              const double turns = phase(a, i, x.extent(0)) + phase(b, j, x.extent(1)) + phase(c, k, x.extent(2));
              y(a, b, c) += x(i, j, k) * std::polar(1.0, sign * 2 * std::numbers::pi * turns);
            }
  return out;
}

template <class Real>
double difference(ArrayRef<const std::complex<Real>> value, ArrayRef<const ComplexDouble> reference, double scale) {
  double error = 0;
  double total = 0;
  for (Index i = 0; i < value.size(); ++i) {
    const ComplexDouble expected = scale * reference.span()[i];
    error += std::norm(ComplexDouble(value.span()[i]) - expected);
    total += std::norm(expected);
  }
  return std::sqrt(error / total);
}

template <class Real>
void check_plan(const Shape& shape) {
  const Context ctx({.threads = 2});
  Array<std::complex<Real>> data(ctx, shape);
  fill_random_normal<Real>(data, 3);
  Array<ComplexDouble> wide(ctx, shape);
  for (Index i = 0; i < data.size(); ++i) wide.span()[i] = ComplexDouble(data.span()[i]);
  const auto plan = make_fft_plan<Real>(ctx, shape.tail());
  // Relative rounding error of an FFT is below eps * log2(points) (Schatzman 1996 measures 0.3 to 0.6 of that).
  const double tolerance = std::numeric_limits<Real>::epsilon() * std::log2(double(shape.size()));
  for (const auto direction : {FftDirection::forward, FftDirection::inverse}) {
    Array<std::complex<Real>> work = clone(ctx, data.ref());
    plan->execute(ctx, direction, work.data(), shape[0]);
    for (Index grid = 0; grid < shape[0]; ++grid) {
      const auto expected = exact(ctx, wide.slice(grid), direction == FftDirection::forward ? -1 : 1, false);
      EXPECT_LT(difference<Real>(work.slice(grid), expected.ref(), 1), tolerance);
    }
  }
}

TEST(Fft, MatchesTheDefinition) {
  check_plan<float>({2, 1, 5, 21});
  check_plan<double>({3, 2, 33, 7});
  check_plan<double>({1, 6, 4, 18});
  check_plan<float>({1, 1, 1, 16});
}

TEST(Fft, CenteredIsUnitaryWithTheOriginAtFloorOfHalf) {
  const Context ctx;
  for (const Shape& shape : {Shape{4, 5, 6}, Shape{3, 8, 7}}) {
    Array<ComplexDouble> data(ctx, shape);
    fill_random_normal<double>(data, 7);
    const auto expected = exact(ctx, data.ref(), -1, true);
    Array<ComplexDouble> work = clone(ctx, data.ref());
    centered_fft<double>(ctx, FftDirection::forward, work, 3);
    EXPECT_LT(difference<double>(work.ref(), expected.ref(), 1 / std::sqrt(double(shape.size()))), 1e-14);
    EXPECT_NEAR(norm<double>(ctx, work) / norm<double>(ctx, data), 1, 1e-14);
    centered_fft<double>(ctx, FftDirection::inverse, work, 3);
    EXPECT_LT(difference<double>(work.ref(), data.ref(), 1), 1e-14);
  }
}

TEST(Fft, CenteredTransformsTheLastAxesAlone) {
  const Context ctx;
  Array<ComplexDouble> data(ctx, {3, 5, 4});
  fill_random_normal<double>(data, 9);
  Array<ComplexDouble> all = clone(ctx, data.ref());
  centered_fft<double>(ctx, FftDirection::forward, all, 1);
  for (Index i = 0; i < 3; ++i) {
    Array<ComplexDouble> one = clone(ctx, data.slice(i));
    centered_fft<double>(ctx, FftDirection::forward, one, 1);
    EXPECT_LT(difference<double>(all.slice(i), one.ref(), 1), 1e-15);
  }
}

TEST(Fft, RefusesShapesItCanNotTake) {
  const Context ctx;
  EXPECT_THROW(make_fft_plan<float>(ctx, {}), ShapeError);
  EXPECT_THROW(make_fft_plan<float>(ctx, {4, 0}), ShapeError);
  EXPECT_THROW(make_fft_plan<float>(ctx, {2, 2, 2, 2}), ShapeError);
  Array<ComplexDouble> data(ctx, {4});
  EXPECT_THROW(centered_fft<double>(ctx, FftDirection::forward, data, 2), ShapeError);
}

TEST(Fft, FastSizes) {
  EXPECT_EQ(next_fast_even(1), 2);
  EXPECT_EQ(next_fast_even(Index{1} << 62), Index{1} << 62);
  EXPECT_THROW(next_fast_even(0), ValueError);
  EXPECT_THROW(next_fast_even(-8), ValueError);
  EXPECT_THROW(next_fast_even((Index{1} << 62) + 1), ValueError);
  EXPECT_EQ(next_fast_even(22), 24);
  EXPECT_EQ(next_fast_even(511), 512);
  EXPECT_EQ(next_fast_even(513), 540);
}

}  // namespace
}  // namespace whorl
