#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "support/simd_targets.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/position_dft.hpp"

namespace whorl {
namespace {

using Wide = std::complex<double>;

// exp(i sign 2 pi k.r), the phase in extended precision: right to 1e-15 up to 2^11 turns and to 1e-12 up to 2^21.
Wide factor(ArrayRef<const double> k, Index j, ArrayRef<const double> r, Index v, double sign) {
  long double turns = 0;
  for (Index axis = 0; axis < k.extent(1); ++axis) {
    turns += static_cast<long double>(k.view<2>()(j, axis)) * static_cast<long double>(r.view<2>()(v, axis));
  }
  return std::polar(1.0, sign * 2 * std::numbers::pi * static_cast<double>(turns - std::nearbyint(turns)));
}

template <class Real>
struct Sums {
  Array<Wide> forward;
  Array<Wide> adjoint;
};

template <class Real>
Sums<Real> direct(const Context& ctx, ArrayRef<const double> k, ArrayRef<const double> r,
                  const Array<std::complex<Real>>& x, const Array<std::complex<Real>>& y) {
  const Index samples = k.extent(0);
  const Index positions = r.extent(0);
  const Index coils = x.extent(0);
  Sums<Real> sums{zeros<Wide>(ctx, {coils, samples}), zeros<Wide>(ctx, {coils, positions})};
  for (Index j = 0; j < samples; ++j) {
    for (Index v = 0; v < positions; ++v) {
      const Wide e = factor(k, j, r, v, 1);
      for (Index c = 0; c < coils; ++c) {
        sums.forward.data()[c * samples + j] += std::conj(e) * Wide(x.data()[c * positions + v]);
        sums.adjoint.data()[c * positions + v] += e * Wide(y.data()[c * samples + j]);
      }
    }
  }
  return sums;
}

Array<double> random_positions(const Context& ctx, Index count, int dim, double extent) {
  auto r = test::random_points(ctx, count, dim, 77);
  for (double& value : r.span()) value *= extent;
  return r;
}

// Single terms are off by 8e-6 (float) or 1.5e-14 (double) at most: 22 roundings by eps / 2, of numbers of turns that
// stay below 5 in a tile, times 2 pi (backend/cpu/exact/position_tiles.hpp). They have random signs and rarely meet the
// bound, so that the root mean square of many is a tenth of it. The reference adds 1e-15.
template <class Real>
constexpr double term = 75 * std::numeric_limits<Real>::epsilon();

template <class Real>
void check(const Context& ctx, ArrayRef<const double> k, ArrayRef<const double> r, Index coils) {
  const PositionDft<Real> op(ctx, k, r, coils);
  const auto x = test::random_array<Real>(ctx, op.domain(), 1);
  const auto y = test::random_array<Real>(ctx, op.range(), 2);
  Array<std::complex<Real>> forward(ctx, op.range());
  Array<std::complex<Real>> adjoint(ctx, op.domain());
  op.forward(ctx, x, forward);
  op.adjoint(ctx, y, adjoint);
  const auto expected = direct(ctx, k, r, x, y);
  const double bound = term<Real> / (k.extent(0) * r.extent(0) > 1000 ? 5 : 1);
  EXPECT_LT(test::relative_error(forward, expected.forward), bound);
  EXPECT_LT(test::relative_error(adjoint, expected.adjoint), bound);
}

TEST(PositionDft, EveryTargetOnSizesAroundVectorsTilesAndBlocks) {
  const Context ctx({.threads = 2});
  struct Case {
    Index samples, positions, coils;
    int dim;
  };
  test::for_each_simd_target([&] {
    for (const auto& [samples, positions, coils, dim] :
         {Case{2, 2, 1, 3}, Case{257, 65, 3, 3}, Case{256, 64, 4, 2}, Case{31, 211, 2, 1}, Case{515, 79, 9, 3}}) {
      SCOPED_TRACE(testing::Message() << samples << " samples, " << positions << " positions, " << coils << " coils");
      const auto k = test::random_points(ctx, samples, dim);
      const auto r = random_positions(ctx, positions, dim, 200);
      check<float>(ctx, k, r, coils);
      check<double>(ctx, k, r, coils);
    }
  });
}

TEST(PositionDft, EveryTermIsRightHoweverManyTurns) {
  const Context ctx;
  test::for_each_simd_target([&] {
    // Many turns; eighths of turns, among them half turns, where the sign changes; far from all else; equal positions.
    for (const double extent : {0.0, 8.0, 1e3, 4e5}) {
      SCOPED_TRACE(extent);
      auto k = test::random_points(ctx, 40, 3);
      auto r = random_positions(ctx, 50, 3, extent);
      for (Index i = 0; i < 3 * 20; ++i) {
        k.data()[3 * 20 + i] = std::round(8 * k.data()[3 * 20 + i]) / 8;
        r.data()[3 * 20 + i] = std::round(r.data()[3 * 20 + i]);
      }
      const PositionDft<float> narrow(ctx, k, r, 1);
      const PositionDft<double> wide(ctx, k, r, 1);
      for (const Index j : {0, 1, 17, 23, 39}) {
        auto y = zeros<std::complex<float>>(ctx, {1, 40});
        auto wide_y = zeros<Wide>(ctx, {1, 40});
        y.data()[j] = 1;
        wide_y.data()[j] = 1;
        Array<std::complex<float>> x(ctx, {1, 50});
        Array<Wide> wide_x(ctx, {1, 50});
        narrow.adjoint(ctx, y, x);
        wide.adjoint(ctx, wide_y, wide_x);
        for (Index v = 0; v < 50; ++v) {
          const Wide expected = factor(k, j, r, v, 1);
          EXPECT_LT(std::abs(Wide(x.data()[v]) - expected), term<float>);
          // The reference itself rounds phases of up to 3e5 turns by 2^-64 of them, three times.
          EXPECT_LT(std::abs(wide_x.data()[v] - expected), term<double> + 3 * extent * 6e-20 * 7);
        }
      }
    }
  });
}

TEST(PositionDft, OnAGridItIsTheDftWithoutItsScale) {
  const Context ctx;
  const auto k = test::random_points(ctx, 90, 3);
  Array<double> r(ctx, {4 * 5 * 6, 3});
  for (Index v = 0; v < r.extent(0); ++v) {
    r.view<2>()(v, 0) = static_cast<double>(v % 6 - 3);
    r.view<2>()(v, 1) = static_cast<double>(v / 6 % 5 - 2);
    r.view<2>()(v, 2) = static_cast<double>(v / 30 - 2);
  }
  const auto image = test::random_array<double>(ctx, {2, 4, 5, 6}, 9);
  Array<Wide> y(ctx, {2, 90});
  Array<Wide> expected(ctx, {2, 90});
  PositionDft<double>(ctx, k, r, 2).forward(ctx, image.ref().reshape({2, 120}), y);
  Dft<double>(ctx, k, {4, 5, 6}, 2).forward(ctx, image, expected);
  for (Wide& value : expected.span()) value *= std::sqrt(120.0);
  EXPECT_LT(test::relative_error(y, expected), term<double>);
}

TEST(PositionDft, SumsOfNothingAreZero) {
  const Context ctx;
  const auto some = test::random_points(ctx, 7, 2);
  const Array<double> none(ctx, {0, 2});
  Array<std::complex<float>> x(ctx, {3, 7});
  Array<std::complex<float>> nothing(ctx, {3, 0});
  fill<std::complex<float>>(x, 1);
  PositionDft<float>(ctx, none, some, 3).adjoint(ctx, nothing, x);
  for (const auto& value : x.span()) EXPECT_EQ(value, std::complex<float>(0));
  fill<std::complex<float>>(x, 1);
  PositionDft<float>(ctx, some, none, 3).forward(ctx, nothing, x);
  for (const auto& value : x.span()) EXPECT_EQ(value, std::complex<float>(0));
}

TEST(PositionDft, RefusesWhatDoesNotFit) {
  const Context ctx;
  const auto k = test::random_points(ctx, 7, 2);
  auto r = test::random_points(ctx, 9, 2);
  EXPECT_THROW(PositionDft<float>(ctx, k, test::random_points(ctx, 9, 3), 1), ShapeError);
  EXPECT_THROW(PositionDft<float>(ctx, Array<double>(ctx, {7, 4}), Array<double>(ctx, {7, 4}), 1), ShapeError);
  EXPECT_THROW(PositionDft<float>(ctx, k, r, 0), ShapeError);
  r.data()[4] = 1e9;
  EXPECT_THROW(PositionDft<float>(ctx, k, r, 1), ValueError);
  r.data()[4] = 1e31;
  EXPECT_THROW(PositionDft<float>(ctx, k, r, 1), ValueError);
  r.data()[4] = std::nan("");
  EXPECT_THROW(PositionDft<float>(ctx, k, r, 1), ValueError);
}

TEST(PositionDft, StopsWhenAskedTo) {
  const Context ctx;
  const auto k = test::random_points(ctx, 7, 2);
  const auto r = test::random_points(ctx, 9, 2);
  const PositionDft<float> op(ctx, k, r, 1);
  const auto x = test::random_array<float>(ctx, op.domain(), 1);
  const auto y = test::random_array<float>(ctx, op.range(), 2);
  Array<std::complex<float>> forward(ctx, op.range());
  Array<std::complex<float>> adjoint(ctx, op.domain());
  ctx.request_cancel();
  EXPECT_THROW(op.forward(ctx, x, forward), Cancelled);
  EXPECT_THROW(op.adjoint(ctx, y, adjoint), Cancelled);
}

}  // namespace
}  // namespace whorl
