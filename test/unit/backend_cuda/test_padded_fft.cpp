// Transforms and convolutions of padded images on a GPU against the CPU's in double precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/fft.hpp"
#include "kernels/padded_fft.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using Extents = std::array<Index, 3>;

template <class To, class From>
Array<std::complex<To>> converted(const Context& ctx, const Array<std::complex<From>>& from) {
  Array<std::complex<To>> to(ctx.host(), from.shape());
  for (std::size_t i = 0; i < to.span().size(); ++i) to.span()[i] = std::complex<To>(from.span()[i]);
  return clone<const std::complex<To>>(ctx, to);
}

Shape with_batch(Index batch, const Extents& e) { return {batch, e[0], e[1], e[2]}; }
Index points(const Extents& e) { return e[0] * e[1] * e[2]; }

// The rounding of a fast transform grows as 0.6 u log2(points) in the l2 norm where errors are independent (Schatzman,
// SIAM J. Sci. Comput. 17 (1996) 1150, sec. 2); two for what is multiplied before and after; twice for the spread.
template <class Real>
double tolerance(const Extents& grid, int transforms) {
  const double u = std::numeric_limits<Real>::epsilon() / 2;
  return 2 * u * (2 + transforms * 0.6 * std::log2(static_cast<double>(points(grid))));
}

// Rounding of two transforms one after the other and a sum over coils, each of whose terms is rounded twice more and each
// partial sum once.
template <class Real>
double sum_tolerance(const Extents& grid, Index coils) {
  return tolerance<Real>(grid, 2) + (2 + static_cast<double>(coils)) * std::numeric_limits<Real>::epsilon();
}

template <class Real>
kernels::PaddedFftGeometry<Real> geometry(const Extents& image, const Extents& grid) {
  kernels::PaddedFftGeometry<Real> result{image, grid, {}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    // Exact in both precisions.
    for (Index i = 0; i < image[axis]; ++i) {
      result.factor[axis].push_back(Real(1) + static_cast<Real>((7 * i + static_cast<Index>(axis)) % 16) / 32);
    }
  }
  return result;
}

// The points of grids without what their rows are longer.
template <class Real>
Array<std::complex<Real>> dense(const kernels::GridLayout& layout, const Array<std::complex<Real>>& grids,
                                Index batch) {
  Array<std::complex<Real>> result(Context(), with_batch(batch, layout.extent));
  auto* to = result.data();
  for (Index plane = 0; plane < batch * layout.extent[0]; ++plane) {
    for (Index y = 0; y < layout.extent[1]; ++y) {
      to = std::copy_n(grids.data() + plane * layout.plane + y * layout.row, layout.extent[2], to);
    }
  }
  return result;
}

template <class Real>
void check_padded(const Context& ctx, const Extents& image, const Extents& grid, Index batch) {
  SCOPED_TRACE(testing::Message() << "image " << to_string(with_batch(batch, image)) << ", grid "
                                  << to_string(with_batch(batch, grid)));
  const Context host = ctx.host();
  const auto there = kernels::make_padded_fft<Real>(ctx, geometry<Real>(image, grid));
  const auto here = kernels::make_padded_fft<double>(host, geometry<double>(image, grid));
  const auto x = test::random_array<Real>(host, with_batch(batch, image), 1);
  auto x_there = clone<const std::complex<Real>>(ctx, x);
  auto x_here = converted<double>(host, x);
  // Whatever lies in the grids beforehand must not matter.
  auto grids_there = test::random_array<Real>(ctx, {batch, there->layout().size()}, 2);
  Array<std::complex<double>> grids_here(host, {batch, here->layout().size()});
  there->forward(ctx, x_there.data(), grids_there.data(), batch);
  // One at a time: the CPU's grids of a batch may lie together point by point.
  for (Index b = 0; b < batch; ++b) {
    here->forward(host, x_here.slice(b).data(), grids_here.slice(b).data(), 1);
  }
  const auto found = to_host<const std::complex<Real>>(ctx, grids_there);
  EXPECT_LT(test::relative_error(dense(there->layout(), found, batch), dense(here->layout(), grids_here, batch)),
            tolerance<Real>(grid, 1));

  // The adjoint of the same numbers: both lose them.
  auto again = converted<double>(host, grids_here);
  for (Index plane = 0; plane < batch * grid[0]; ++plane) {
    for (Index y = 0; y < grid[1]; ++y) {
      const auto* from = found.data() + plane * there->layout().plane + y * there->layout().row;
      for (Index i = 0; i < grid[2]; ++i) {
        again.data()[plane * here->layout().plane + y * here->layout().row + i] = std::complex<double>(from[i]);
      }
    }
  }
  there->adjoint(ctx, grids_there.data(), x_there.data(), batch);
  for (Index b = 0; b < batch; ++b) here->adjoint(host, again.slice(b).data(), x_here.slice(b).data(), 1);
  EXPECT_LT(test::relative_error(to_host<const std::complex<Real>>(ctx, x_there), x_here), tolerance<Real>(grid, 1));
}

template <class Real>
void check_convolution(const Context& ctx, const Extents& image, const Extents& grid, Index batch) {
  SCOPED_TRACE(testing::Message() << "image " << to_string(with_batch(batch, image)) << ", grid "
                                  << to_string(with_batch(batch, grid)));
  const Context host = ctx.host();
  Array<Real> spectrum(host, {points(grid)});
  Array<double> spectrum_here(host, {points(grid)});
  for (Index i = 0; i < points(grid); ++i) {
    spectrum.data()[i] = static_cast<Real>((5 * i) % 32) / 32 - Real(0.25);
    spectrum_here.data()[i] = static_cast<double>(spectrum.data()[i]);
  }
  const auto spectrum_there = clone<const Real>(ctx, spectrum);
  const auto there = kernels::make_convolution<Real>(ctx, {image, grid}, spectrum_there.data());
  const auto here = kernels::make_convolution<double>(host, {image, grid}, spectrum_here.data());
  const auto x = test::random_array<Real>(host, with_batch(batch, image), 3);
  const auto x_there = clone<const std::complex<Real>>(ctx, x);
  const auto x_here = converted<double>(host, x);
  Array<std::complex<Real>> found(ctx, x.shape());
  Array<std::complex<double>> expected(host, x.shape());
  there->apply(ctx, x_there.data(), found.data(), batch);
  here->apply(host, x_here.data(), expected.data(), batch);
  EXPECT_LT(test::relative_error(to_host<const std::complex<Real>>(ctx, found), expected), tolerance<Real>(grid, 2));
}

// One image through the maps of a batch; the CPU takes one coil after the other, and adds.
template <class Real>
void check_coils(const Context& ctx, const Extents& image, const Extents& grid, Index batch) {
  SCOPED_TRACE(testing::Message() << "image " << to_string(with_batch(batch, image)) << ", grid "
                                  << to_string(with_batch(batch, grid)) << ", of one image");
  const Context host = ctx.host();
  const auto there = kernels::make_padded_fft<Real>(ctx, geometry<Real>(image, grid));
  const auto here = kernels::make_padded_fft<double>(host, geometry<double>(image, grid));
  const auto x = test::random_array<Real>(host, {image[0], image[1], image[2]}, 1);
  const auto maps = test::random_array<Real>(host, with_batch(batch, image), 2);
  auto x_there = clone<const std::complex<Real>>(ctx, x);
  const auto maps_there = clone<const std::complex<Real>>(ctx, maps);
  auto x_here = converted<double>(host, x);
  const auto maps_here = converted<double>(host, maps);
  auto grids_there = test::random_array<Real>(ctx, {batch, there->layout().size()}, 3);
  Array<std::complex<double>> grids_here(host, {batch, here->layout().size()});
  there->forward_of_coils(ctx, x_there.data(), maps_there.data(), grids_there.data(), batch);
  for (Index b = 0; b < batch; ++b) {
    here->forward_of_coils(host, x_here.data(), maps_here.slice(b).data(), grids_here.slice(b).data(), 1);
  }
  const auto found = to_host<const std::complex<Real>>(ctx, grids_there);
  EXPECT_LT(test::relative_error(dense(there->layout(), found, batch), dense(here->layout(), grids_here, batch)),
            tolerance<Real>(grid, 1));

  // The grids are lost: the CPU has its own, whose rounding is that of the transform too. Twice, as the first half of all
  // coils and as the second, which is added to it.
  const auto again = clone<const std::complex<Real>>(ctx, grids_there);
  for (Index b = 0; b < batch; ++b) {
    here->adjoint_of_coils(host, grids_here.slice(b).data(), maps_here.slice(b).data(), x_here.data(), 1,
                           {.first = b, .all = batch, .split = batch});
  }
  Array<std::complex<Real>> second(ctx, x.shape());
  kernels::CoilSum<Real> sum{.first = 0, .all = batch, .split = batch};
  there->adjoint_of_coils(ctx, grids_there.data(), maps_there.data(), x_there.data(), batch, sum);
  EXPECT_LT(test::relative_error(to_host<const std::complex<Real>>(ctx, x_there), x_here),
            sum_tolerance<Real>(grid, batch));
  copy<std::complex<Real>>(ctx, again, grids_there);
  sum = {.first = 0, .all = 2 * batch, .split = batch, .second = second.data()};
  there->adjoint_of_coils(ctx, grids_there.data(), maps_there.data(), x_there.data(), batch, sum);
  copy<std::complex<Real>>(ctx, again, grids_there);
  there->adjoint_of_coils(ctx, grids_there.data(), maps_there.data(), x_there.data(), batch, sum.after(batch));
  for (std::complex<double>& value : x_here.span()) value *= 2;
  EXPECT_LT(test::relative_error(to_host<const std::complex<Real>>(ctx, x_there), x_here),
            sum_tolerance<Real>(grid, batch));
}

template <class Real>
void check_convolution_over_coils(const Context& ctx, const Extents& image, const Extents& grid, Index coils) {
  SCOPED_TRACE(testing::Message() << "image " << to_string(with_batch(coils, image)) << ", grid "
                                  << to_string(with_batch(coils, grid)) << ", over coils");
  const Context host = ctx.host();
  Array<Real> spectrum(host, {points(grid)});
  Array<double> spectrum_here(host, {points(grid)});
  for (Index i = 0; i < points(grid); ++i) {
    spectrum.data()[i] = static_cast<Real>((5 * i) % 32) / 32 - Real(0.25);
    spectrum_here.data()[i] = static_cast<double>(spectrum.data()[i]);
  }
  const auto spectrum_there = clone<const Real>(ctx, spectrum);
  const auto there = kernels::make_convolution<Real>(ctx, {image, grid}, spectrum_there.data());
  const auto here = kernels::make_convolution<double>(host, {image, grid}, spectrum_here.data());
  const auto x = test::random_array<Real>(host, {image[0], image[1], image[2]}, 3);
  const auto maps = test::random_array<Real>(host, with_batch(coils, image), 4);
  const auto x_there = clone<const std::complex<Real>>(ctx, x);
  const auto maps_there = clone<const std::complex<Real>>(ctx, maps);
  Array<std::complex<Real>> found(ctx, x.shape());
  Array<std::complex<double>> expected(host, x.shape());
  Array<std::complex<Real>> second(ctx, x.shape());
  there->apply_over_coils(ctx, x_there.data(), maps_there.data(), found.data(), coils,
                          {.first = 0, .all = coils, .split = coils / 2, .second = second.data()});
  here->apply_over_coils(host, converted<double>(host, x).data(), converted<double>(host, maps).data(), expected.data(),
                         coils, {.first = 0, .all = coils, .split = coils});
  EXPECT_LT(test::relative_error(to_host<const std::complex<Real>>(ctx, found), expected),
            sum_tolerance<Real>(grid, coils));
}

template <class Real>
class CudaPaddedFft : public testing::Test {};
using FftPrecisions = testing::Types<float, double>;
TYPED_TEST_SUITE(CudaPaddedFft, FftPrecisions);

TYPED_TEST(CudaPaddedFft, TransformsAsTheCpu) {
  const Context ctx = test::device_context();
  for (const Index batch : {1, 2, 5}) {
    check_padded<TypeParam>(ctx, {1, 5, 7}, {1, 8, 12}, batch);
    check_padded<TypeParam>(ctx, {6, 9, 10}, {12, 18, 20}, batch);
    check_padded<TypeParam>(ctx, {1, 45, 33}, {1, 90, 54}, batch);
    check_padded<TypeParam>(ctx, {1, 1, 1}, {2, 2, 2}, batch);
    check_padded<TypeParam>(ctx, {13, 1, 97}, {20, 2, 200}, batch);
    check_padded<TypeParam>(ctx, {7, 11, 1}, {10, 30, 2}, batch);
  }
}

TYPED_TEST(CudaPaddedFft, ConvolvesAsTheCpu) {
  const Context ctx = test::device_context();
  for (const Index batch : {1, 2, 5}) {
    check_convolution<TypeParam>(ctx, {1, 5, 7}, {1, 12, 16}, batch);
    check_convolution<TypeParam>(ctx, {6, 9, 10}, {12, 18, 20}, batch);
    check_convolution<TypeParam>(ctx, {1, 45, 33}, {1, 90, 72}, batch);
    check_convolution<TypeParam>(ctx, {13, 1, 97}, {30, 2, 200}, batch);
    check_convolution<TypeParam>(ctx, {1, 1, 1}, {1, 2, 2}, batch);
  }
}

// Fewer coils than a block takes, as many, and more, in blocks of one packet of lines and of several.
TYPED_TEST(CudaPaddedFft, TakesOneImageOfManyCoils) {
  const Context ctx = test::device_context();
  for (const Index batch : {1, 2, 3, 5, 8, 13}) {
    check_coils<TypeParam>(ctx, {1, 5, 7}, {1, 8, 12}, batch);
    check_coils<TypeParam>(ctx, {6, 9, 10}, {12, 18, 20}, batch);
    check_coils<TypeParam>(ctx, {1, 1, 1}, {2, 2, 2}, batch);
    check_coils<TypeParam>(ctx, {13, 1, 97}, {20, 2, 200}, batch);
    check_coils<TypeParam>(ctx, {40, 33, 31}, {48, 40, 60}, batch);
    check_convolution_over_coils<TypeParam>(ctx, {1, 5, 7}, {1, 12, 16}, batch);
    check_convolution_over_coils<TypeParam>(ctx, {6, 9, 10}, {12, 18, 20}, batch);
    check_convolution_over_coils<TypeParam>(ctx, {13, 1, 97}, {30, 2, 200}, batch);
  }
  for (const Index n : {160, 192, 256, 320, 384, 512, 640, 1024}) {
    for (const Index batch : {1, 3, 4, 12}) check_coils<TypeParam>(ctx, {1, 45, n / 2 - 3}, {1, 60, n}, batch);
  }
  for (const Index n : {160, 256, 320, 512}) {
    for (const Index batch : {1, 3, 4}) check_coils<TypeParam>(ctx, {60, 17, n / 2 + 1}, {60, 18, n}, batch);
  }
}

// Every length by lines and by columns, in blocks of few columns and of many.
TYPED_TEST(CudaPaddedFft, TakesEveryLength) {
  const Context ctx = test::device_context();
  const auto is_fast = [](Index n) {
    for (const Index factor : {2, 3, 5}) {
      while (n % factor == 0) n /= factor;
    }
    return n == 1;
  };
  for (Index n = 2; n <= 2048; n += n < 600 ? 2 : 40) {
    if (!is_fast(n)) continue;
    check_padded<TypeParam>(ctx, {1, 3, n / 2 + 1}, {1, 4, n}, 1);
    check_padded<TypeParam>(ctx, {1, n / 2 + 1, 13}, {1, n, 20}, 1);
    check_convolution<TypeParam>(ctx, {1, n / 2, 9}, {1, n, 18}, 1);
  }
  for (const Index n : {160, 192, 256, 320, 384, 400, 512, 1024}) {
    check_padded<TypeParam>(ctx, {1, n / 2, 250}, {1, n, 400}, 12);
    check_padded<TypeParam>(ctx, {1, 250, n / 2}, {1, 400, n}, 12);
    check_convolution<TypeParam>(ctx, {1, n / 2, 200}, {1, n, 400}, 12);
  }
}

TYPED_TEST(CudaPaddedFft, RefusesOtherPrimes) {
  const Context ctx = test::device_context();
  EXPECT_THROW((kernels::make_padded_fft<TypeParam>(ctx, geometry<TypeParam>({1, 4, 4}, {1, 8, 14}))), ValueError);
}

TYPED_TEST(CudaPaddedFft, PlansOfCufftTransformAsTheCpu) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  for (const FftDirection direction : {FftDirection::forward, FftDirection::inverse}) {
    const Shape grid{6, 14, 15};
    const auto x = test::random_array<TypeParam>(host, grid.with_front(3), 4);
    auto there = clone<const std::complex<TypeParam>>(ctx, x);
    auto here = converted<double>(host, x);
    kernels::make_fft_plan<TypeParam>(ctx, grid)->execute(ctx, direction, there.data(), 3);
    kernels::make_fft_plan<double>(host, grid)->execute(host, direction, here.data(), 3);
    EXPECT_LT(test::relative_error(to_host<const std::complex<TypeParam>>(ctx, there), here),
              tolerance<TypeParam>({6, 14, 15}, 1));
  }
}

}  // namespace
}  // namespace whorl
