#include <gtest/gtest.h>

#include <limits>

#include "studies/quantitative_mri/convolution.hpp"
#include "studies/quantitative_mri/rows.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/op/dft.hpp"

namespace whorl::studies::quantitative_mri {
namespace {

using Wide = std::complex<double>;

// The sums by the library's transform, whose scale 1/sqrt(voxels) is undone.
Array<Wide> expected_sums(const Context& host, ArrayRef<const double> points, ArrayRef<const Wide> data, Index extent) {
  const Dft<double> dft(host, points, {extent, extent, extent}, 1);
  Array<Wide> image(host, dft.domain());
  dft.adjoint(host, data.reshape(dft.range()), image);
  for (Wide& value : image.span()) value *= std::sqrt(static_cast<double>(image.size()));
  image.reshape({image.size()});
  return image;
}

template <class Real>
Array<Real> planes(const Context& ctx, ArrayRef<const double> points) {
  Array<Real> result(ctx.host(), {3, points.extent(0)});
  for (Index j = 0; j < points.extent(0); ++j) {
    for (Index axis = 0; axis < 3; ++axis)
      result.data()[axis * points.extent(0) + j] = static_cast<Real>(points.view<2>()(j, axis));
  }
  return clone(ctx, result.ref());
}

// |k| <= 1/2 and |r| <= 5 give angles of up to 47 rad. In k.r there are five roundings and that of each k, by eps/2 of
// that at most, two more in the product with 2 pi, and hardware functions reduce it to one turn with another one and
// are right to 2^-20.9 = 4.3 eps then: 9 eps/2 * 47 + 5 eps < 220 eps. Rounding errors of a sum of n terms with random
// signs grow as sqrt(n). Relative to the sum, which grows as sqrt(n) too, as random errors of the terms do.
template <class Real>
double bound(Index samples) {
  return (220 + std::sqrt(static_cast<double>(samples))) * std::numeric_limits<Real>::epsilon();
}

template <class Real>
void check(const Context& ctx, const SumStep<Real>& step, Index samples, Index extent) {
  SCOPED_TRACE(testing::Message() << step.name << ", " << samples << " samples, extent " << extent);
  const Context host = ctx.host();
  const Array<double> points = test::random_points(host, samples, 3);
  const Array<Wide> data = test::random_array<double>(host, {samples}, 5);
  const Array<Wide> expected = expected_sums(host, points, data, extent);
  const Array<Real> k = planes<Real>(ctx, points);
  const Array<std::complex<Real>> values = to_device<Real>(ctx, data);
  Array<std::complex<Real>> all(ctx, expected.shape());
  step.run(ctx, {k, values, extent}, all);
  const auto here = to_host(ctx, all.ref());
  EXPECT_LT(test::relative_error(here, expected), bound<Real>(samples));

  // A part is the same numbers; a length that no block divides.
  Array<std::complex<Real>> part(ctx, {expected.size() / 3 + 1});
  const Index first = 2 * expected.size() / 5;
  step.run(ctx, {k, values, extent, first}, part);
  const auto part_here = to_host(ctx, part.ref());
  for (Index i = 0; i < part.size(); ++i) EXPECT_EQ(part_here.data()[i], here.data()[first + i]) << i;
}

TEST(ExactSums, LoopsOfTheHostAreTheDft) {
  const Context host = test::device_context().host();
  for (const Index extent : {7, 10}) {
    check<double>(host, {"double", sums_on_host<double>}, 53, extent);
    check<float>(host, {"single", sums_on_host<float>}, 53, extent);
    // Samples that fill no chunk, and parts of several.
    for (const Index samples : {53, 700}) {
      check<double>(host, {"double, vectors", vectors_on_host<double>}, samples, extent);
      check<float>(host, {"single, vectors", vectors_on_host<float>}, samples, extent);
    }
  }
}

// Samples that fill no chunk, one, and parts of several; a grid of odd extent.
TEST(ExactSums, EveryStepOnTheDeviceIsTheDft) {
  const Context ctx = test::device_context();
  if (ctx.device().kind == DeviceKind::cpu) GTEST_SKIP() << "these kernels are for a GPU";
  ASSERT_EQ(gpu_steps().size(), 5U);
  for (const SumStep<float>& step : gpu_steps()) {
    check<float>(ctx, step, 53, 7);
    check<float>(ctx, step, 2048, 10);
    check<float>(ctx, step, 4500, 9);
  }
}

// F^H F by the convolution with Q against adjoint after forward. Between the products stand five transforms of a grid
// of 20^3 points, whose rounding errors are below eps log2(20^3) = 13 eps each (Higham), of numbers whose norm is at
// most the largest eigenvalue's times that of x; F^H F x is smaller by the ratio of the root mean square of the
// eigenvalues to the largest. 200 random samples of 1000 voxels have eigenvalues near 0.2 and at most 0.45, most of
// them 0: a ratio above 1/5. Together 5 * 13 * 5 eps.
template <class Real>
void check_convolution(const Context& ctx) {
  constexpr Index size = 10;
  const Context host = ctx.host();
  const Array<double> points = test::random_points(host, 200, 3);
  const Dft<double> dft(host, points, {size, size, size}, 1);
  const Array<Wide> x = test::random_array<double>(host, dft.domain(), 8);
  Array<Wide> expected(host, dft.domain());
  dft.normal(host, x, expected);

  const Index lags = impulse_extent(size);
  EXPECT_EQ(lags, 20);
  Array<Wide> ones(host, {200});
  fill<Wide>(ones, 1);
  Array<Wide> impulse = expected_sums(host, points, ones, lags);
  impulse.reshape({lags, lags, lags});
  const auto normal = convolution_with<Real>(ctx, to_device<Real>(ctx, impulse), size);
  Array<std::complex<Real>> result(ctx, {size, size, size});
  Array<std::complex<Real>> image = to_device<Real>(ctx, x);
  image.reshape({size, size, size});
  normal(ctx, image, result);
  EXPECT_LT(test::relative_error(to_host(ctx, result.ref()), expected), 325 * std::numeric_limits<Real>::epsilon());
}

TEST(Convolution, WithTheExactImpulseIsTheNormalOperator) {
  const Context ctx = test::device_context();
  check_convolution<float>(ctx);
  check_convolution<double>(ctx);
}

TEST(ExactRow, SaysWhatItExtrapolates) {
  const Context ctx({.threads = 2});
  Trial trial{ctx, {.size = 8, .noise = 0, .iterations = 2}, {}};
  trial.scan = simulate(ctx, trial.options);
  NufftRows nufft;
  nufft.eigenvalue = 1;
  nufft.double_precision.seconds.solver = 7;
  // 100 voxels: of 16^3 lags and of 8^3 voxels.
  const SumStep<double> step{.name = "a part",
                             .run = sums_on_host<double>,
                             .most_terms = 100.0 * static_cast<double>(trial.scan.trajectory.samples())};
  const Row part = exact_row<double>(trial, ctx, step, nufft);
  EXPECT_EQ(part.seconds.remark, "extrapolated: Q from 2.44 %, F^H d from 19.5 % of the voxels; the NUFFT's solver");
  EXPECT_TRUE(part.quality.empty());
  EXPECT_EQ(part.seconds.solver, 7);
  EXPECT_EQ(part.seconds.total, part.seconds.adjoint.value_or(0) + 7);
  trial.options.full = true;
  const Row whole = exact_row<double>(trial, ctx, step, nufft);
  EXPECT_EQ(whole.seconds.remark, "");
  EXPECT_EQ(whole.quality.size(), trial.scan.data.size());
}

}  // namespace
}  // namespace whorl::studies::quantitative_mri
