// The normal operator as a convolution against adjoint after forward of the exact transform. Both the impulse's image
// and the two transforms of the pair keep the tolerance, so that twice the tolerance bounds either.
#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "support/simd_targets.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {
namespace {

template <class Real>
void expect_exact(const Shape& image, double tolerance) {
  SCOPED_TRACE(to_string(image));
  const Context ctx({.threads = 2});
  constexpr Index coils = 5;
  const Array<double> points = test::random_points(ctx, 800, image.rank());
  const auto x = test::random_array<Real>(ctx, image.with_front(coils), 3);
  const Dft<Real> exact(ctx, points, image, coils);
  Array<std::complex<Real>> expected(ctx, exact.domain());
  exact.normal(ctx, x, expected);
  Array<std::complex<Real>> got(ctx, exact.domain());
  const NufftOptions options{.tolerance = tolerance, .normal = NormalMethod::toeplitz};
  test::for_each_simd_target([&] {
    const Nufft<Real> nufft(ctx, points, image, coils, options);
    nufft.normal(ctx, x, got);
    EXPECT_LE(test::relative_error(got, expected), 2 * tolerance);
  });
}

TEST(Toeplitz, IsTheNormalOperator) {
  expect_exact<float>({40, 27}, 1e-3);
  expect_exact<float>({33, 64}, 2e-5);
  expect_exact<float>({12, 17, 9}, 1e-4);
  expect_exact<double>({40, 27}, 1e-8);
  expect_exact<double>({11, 8, 20}, 1e-9);
  // Columns of 30 points, which begin with two, and of 2, 4 and 8, which have one stage.
  for (const Index y : {15, 1, 2, 4}) expect_exact<float>({y, 21}, 1e-4);
}

// At a tolerance that is the finest within reach, the impulse's image can not be finer.
TEST(Toeplitz, AtTheFloorOfThePrecision) { expect_exact<float>({40, 27}, 3e-6); }

TEST(Toeplitz, AutomaticTakesTheFaster) {
  const Context ctx({.threads = 2});
  const NufftOptions pair{.tolerance = 1e-4};
  const NufftOptions automatic{.tolerance = 1e-4, .normal = NormalMethod::automatic};
  const auto plan = [&](Index samples, const NufftOptions& options) {
    return nufft_memory<float>(ctx, test::random_points(ctx, samples, 2), {64, 64}, 1, options).plan;
  };
  // A convolution costs the same however many samples there are: its spectrum is planned for many and not for few.
  EXPECT_EQ(plan(100, automatic), plan(100, pair));
  EXPECT_GT(plan(1000000, automatic), plan(1000000, pair));
}

TEST(Toeplitz, ShapesAreChecked) {
  const Context ctx;
  const Nufft<float> nufft(ctx, test::random_points(ctx, 20, 2), {8, 9}, 2, {.normal = NormalMethod::toeplitz});
  Array<std::complex<float>> wrong(ctx, {2, 9, 8});
  Array<std::complex<float>> right(ctx, {2, 8, 9});
  EXPECT_THROW(nufft.normal(ctx, wrong, right), ShapeError);
}

}  // namespace
}  // namespace whorl
