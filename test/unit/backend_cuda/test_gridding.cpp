// Gridding on a GPU against the plain double sum over samples and points, in double precision on the host: what tiles,
// bins and windows across the end of the period could get wrong.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "kernels/gridding.hpp"
#include "kernels/nufft_cost.hpp"
#include "op/window/window_polynomial.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/core/on_device.hpp"

namespace whorl {
namespace {

using kernels::GridLayout;

struct GridCase {
  std::array<Index, 3> extent;  // z first; 2D: one plane
  int width;
  Index batch = 1;
  Index row_gap = 0;    // elements between rows
  Index plane_gap = 0;  // and between planes
};

// Window values of a sample along one axis, and the first grid point under it, in double.
struct AxisWindow {
  AxisWindow(const kernels::WindowPolynomial& window, double k, Index extent) {
    const double begin = k * static_cast<double>(extent) - 0.5 * window.width;
    const double first = std::ceil(begin);
    start = static_cast<Index>(first);
    const double u = 2 * (first - begin) - 1;
    for (int l = 0; l < window.width; ++l) {
      double sum = 0;
      for (int n = window.degree; n >= 0; --n) {
        sum = sum * u + window.coefficients[static_cast<std::size_t>(n * window.width + l)];
      }
      value.push_back(sum);
    }
  }

  Index start;
  std::vector<double> value;
};

// Calls visit(sample, place in the grid, weight) for all samples and points under their windows.
template <class Visit>
void for_each_pair(ArrayRef<const double> points, const kernels::WindowPolynomial& window, const GridLayout& grid,
                   const Visit& visit) {
  const auto dim = static_cast<int>(points.extent(1));
  const auto inside = [](Index i, Index extent) { return (i % extent + extent) % extent; };
  for (Index j = 0; j < points.extent(0); ++j) {
    const double* const k = points.data() + j * dim;
    const AxisWindow x(window, k[0], grid.extent[2]);
    const AxisWindow y(window, k[1], grid.extent[1]);
    for (int n = 0; n < (dim == 3 ? window.width : 1); ++n) {
      Index plane = 0;
      double along_z = 1;
      if (dim == 3) {
        const AxisWindow z(window, k[2], grid.extent[0]);
        plane = inside(z.start + n, grid.extent[0]) * grid.plane;
        along_z = z.value[static_cast<std::size_t>(n)];
      }
      for (int m = 0; m < window.width; ++m) {
        const Index row = plane + inside(y.start + m, grid.extent[1]) * grid.row;
        for (int l = 0; l < window.width; ++l) {
          visit(j, row + inside(x.start + l, grid.extent[2]),
                along_z * y.value[static_cast<std::size_t>(m)] * x.value[static_cast<std::size_t>(l)]);
        }
      }
    }
  }
}

template <class Real>
void expect_sums(const GridCase& c, ArrayRef<const double> points) {
  using Complex = std::complex<Real>;
  SCOPED_TRACE(testing::Message() << c.extent[0] << " x " << c.extent[1] << " x " << c.extent[2] << ", width "
                                  << c.width << ", batch " << c.batch << ", samples " << points.extent(0));
  const Context ctx = test::device_context();
  constexpr double unit_roundoff = 0.5 * static_cast<double>(std::numeric_limits<Real>::epsilon());
  const Window shape(WindowKind::kaiser_bessel, c.width, 2);
  const auto window = fit_window(shape, 4 * unit_roundoff);
  GridLayout grid{c.extent, c.extent[2] + c.row_gap, 0};
  grid.plane = grid.row * c.extent[1] + c.plane_gap;
  const Index samples = points.extent(0);

  const OnDevice<double> there(ctx, points);
  const auto plan = kernels::make_gridding_plan<Real>(ctx, {there.get(), grid, window});
  const auto values = test::random_array<Real>(ctx.host(), {c.batch, samples}, 1);
  const auto grids = test::random_array<Real>(ctx.host(), {c.batch, grid.size()}, 2);
  // Written over everywhere, or the comparison fails: not a number stays that in any sum.
  constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
  Array<Complex> spread(ctx, {c.batch, grid.size()});
  fill<Complex>(ctx, spread, Complex(nan, nan));
  Array<Complex> interpolated(ctx, {c.batch, samples});
  fill<Complex>(ctx, interpolated, Complex(nan, nan));
  plan->spread(ctx, clone<const Complex>(ctx, values).data(), spread.data(), c.batch);
  plan->interpolate(ctx, clone<const Complex>(ctx, grids).data(), interpolated.data(), c.batch);
  const auto got_grids = to_host<const Complex>(ctx, spread);
  const auto got_values = to_host<const Complex>(ctx, interpolated);

  std::vector<std::complex<double>> expected_grids(static_cast<std::size_t>(c.batch * grid.size()));
  std::vector<std::complex<double>> expected_values(static_cast<std::size_t>(c.batch * samples));
  for_each_pair(points, window, grid, [&](Index j, Index place, double weight) {
    for (Index b = 0; b < c.batch; ++b) {
      const Index in_values = b * samples + j;
      const Index in_grids = b * grid.size() + place;
      expected_grids[static_cast<std::size_t>(in_grids)] += weight * std::complex<double>(values.data()[in_values]);
      expected_values[static_cast<std::size_t>(in_values)] += weight * std::complex<double>(grids.data()[in_grids]);
    }
  });

  // A weight is rounded at each of the multiply-adds of its polynomials, at most; the errors of a sum's terms and of
  // its steps are independent, and there are no more of them than samples, or points under a window.
  const double terms = std::max(static_cast<double>(samples), std::pow(c.width, points.extent(1)));
  const double tolerance =
      unit_roundoff * (static_cast<double>(points.extent(1)) * (window.degree + 2) + std::sqrt(terms));
  double error = 0;
  double norm = 0;
  for (Index b = 0; b < c.batch; ++b) {
    for (Index z = 0; z < c.extent[0]; ++z) {
      for (Index y = 0; y < c.extent[1]; ++y) {
        for (Index x = 0; x < grid.row; ++x) {
          const Index place = b * grid.size() + z * grid.plane + y * grid.row + x;
          const auto got = std::complex<double>(got_grids.data()[place]);
          ASSERT_TRUE(std::isfinite(got.real()) && std::isfinite(got.imag())) << z << ' ' << y << ' ' << x;
          if (x >= c.extent[2]) continue;
          error += std::norm(got - expected_grids[static_cast<std::size_t>(place)]);
          norm += std::norm(expected_grids[static_cast<std::size_t>(place)]);
        }
      }
    }
  }
  EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(norm)) << "spread";
  error = 0;
  norm = 0;
  for (Index i = 0; i < c.batch * samples; ++i) {
    const auto expected = expected_values[static_cast<std::size_t>(i)];
    error += std::norm(std::complex<double>(got_values.data()[i]) - expected);
    norm += std::norm(expected);
  }
  EXPECT_LE(std::sqrt(error), tolerance * std::sqrt(norm)) << "interpolate";
}

template <class Real>
class CudaGridding : public testing::Test {
 protected:
  static Array<double> random(Index samples, int dim) {
    return test::random_points(test::device_context(), samples, dim);
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaGridding, Precisions);

TYPED_TEST(CudaGridding, SumsUnderWindowsOfAnyWidth) {
  for (int width = 2; width <= 16; ++width) {
    expect_sums<TypeParam>({{1, 37, 50}, width, 1 + width % 13, width % 3, width % 5}, this->random(400, 2));
    expect_sums<TypeParam>({{11, 14, 23}, width, 1 + width % 5, width % 2, width % 4}, this->random(60, 3));
    expect_sums<TypeParam>({{40, 37, 50}, width, 1 + width % 3}, this->random(60, 3));
  }
  for (const int width : {20, 33, kernels::max_window_width}) {
    expect_sums<TypeParam>({{1, 37, 100}, width, 2}, this->random(60, 2));
    expect_sums<TypeParam>({{9, 14, 70}, width}, this->random(4, 3));
  }
  expect_sums<TypeParam>({{73, 100, 90}, kernels::max_window_width}, this->random(4, 3));
}

TYPED_TEST(CudaGridding, GridsMayBeSmallerThanTilesAndWindows) {
  for (Index n = 2; n <= 20; ++n) {
    expect_sums<TypeParam>({{1, n, 22 - n}, static_cast<int>(2 + n % 7), 2, n % 2}, this->random(100, 2));
    expect_sums<TypeParam>({{n, 21 - n, n * 7 % 19 + 2}, static_cast<int>(2 + n % 6), 1, 0, n % 2},
                           this->random(40, 3));
  }
}

TYPED_TEST(CudaGridding, AnyNumberOfCoils) {
  for (Index batch = 1; batch <= 13; ++batch) {
    expect_sums<TypeParam>({{1, 33, 47}, 4, batch}, this->random(300, 2));
    expect_sums<TypeParam>({{17, 33, 20}, 4, batch}, this->random(100, 3));
  }
}

// Crowded tiles are cut into parts; a single sample and none leave nearly all tiles empty.
TYPED_TEST(CudaGridding, AnyNumberOfSamplesInOnePlace) {
  for (const int dim : {2, 3}) {
    const std::array<Index, 3> extent{dim == 2 ? 1 : 24, 40, 37};
    for (const Index samples : {0, 1, 3000}) {
      Array<double> points(Context(), {samples, dim});
      for (Index i = 0; i < points.size(); ++i) points.data()[i] = 0.123 - 0.3 * static_cast<double>(i % dim);
      for (const int width : {2, 5, 8}) expect_sums<TypeParam>({extent, width, 3, 1}, points);
    }
    expect_sums<TypeParam>({extent, 5, 2}, this->random(20000, dim));
  }
}

TYPED_TEST(CudaGridding, TheSameInEveryRun) {
  const Context ctx = test::device_context();
  const auto points = this->random(20000, 2);
  const OnDevice<double> there(ctx, points);
  const auto grid = kernels::dense_layout({1, 40, 60});
  const auto window = fit_window(Window(WindowKind::kaiser_bessel, 4, 2), 1e-4);
  const auto values =
      clone<const std::complex<TypeParam>>(ctx, test::random_array<TypeParam>(ctx.host(), {3, points.extent(0)}, 1));
  Array<std::complex<TypeParam>> first(ctx, {3, grid.size()});
  Array<std::complex<TypeParam>> second(ctx, {3, grid.size()});
  for (auto* grids : {&first, &second}) {
    const auto plan = kernels::make_gridding_plan<TypeParam>(ctx, {there.get(), grid, window});
    plan->spread(ctx, values.data(), grids->data(), 3);
  }
  EXPECT_EQ(test::relative_error(to_host<const std::complex<TypeParam>>(ctx, second),
                                 to_host<const std::complex<TypeParam>>(ctx, first)),
            0);
}

// With little memory the sums of the parts of cut tiles are made for some coils, and some tiles, after the other: the
// same numbers. The memory is as predicted from where the samples lie; the pool rounds blocks up by less than 1/8.
TYPED_TEST(CudaGridding, WithLittleMemoryThePartsAreSummedInRounds) {
  using Complex = std::complex<TypeParam>;
  constexpr Index batch = 5;
  const Context roomy = test::device_context();
  for (const int dim : {2, 3}) {
    const Array<double> points = this->random(200000, dim);
    const auto grid = kernels::dense_layout({dim == 2 ? 1 : 24, 140, 137});
    const auto window = fit_window(Window(WindowKind::kaiser_bessel, 5, 2), 1e-4);
    const auto values = test::random_array<TypeParam>(roomy.host(), {batch, points.extent(0)}, 1);
    const auto spread = [&](const Context& ctx) {
      const OnDevice<double> there(ctx, points);
      const auto before_plan = ctx.pool().statistics().in_use;
      const auto plan = kernels::make_gridding_plan<TypeParam>(ctx, {there.get(), grid, window});
      const auto predicted =
          kernels::gridding_memory(ctx, {points}, grid, window.width, static_cast<Index>(sizeof(TypeParam)), batch);
      const auto held = static_cast<double>(ctx.pool().statistics().in_use - before_plan);
      EXPECT_LE(held, 1.15 * static_cast<double>(predicted.plan));
      EXPECT_GE(held, 0.8 * static_cast<double>(predicted.plan));
      const auto data = clone<const Complex>(ctx, values);
      Array<Complex> grids(ctx, {batch, grid.size()});
      ctx.synchronize();
      const Context fresh = ctx.on(ctx.device(), ctx.pool().limit());
      plan->spread(fresh, data.data(), grids.data(), batch);
      const auto work = static_cast<double>(fresh.pool().statistics().peak);
      EXPECT_LE(work, 1.15 * static_cast<double>(predicted.spread));
      EXPECT_GE(work, static_cast<double>(predicted.spread));
      fresh.synchronize();
      return std::pair(to_host<const Complex>(fresh, grids), predicted.spread);
    };
    const auto [expected, all] = spread(roomy);
    EXPECT_GT(all, 0);
    for (const Index part : {2, 9}) {  // a sixteenth of the memory may hold sums
      const auto [got, work] = spread(Context().on(roomy.device(), static_cast<std::size_t>(16 * all / part)));
      EXPECT_LT(work, all);
      EXPECT_EQ(test::relative_error(got, expected), 0);
    }
  }
}

}  // namespace
}  // namespace whorl
