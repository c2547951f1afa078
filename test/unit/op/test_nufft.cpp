#include <gtest/gtest.h>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/op/nufft.hpp"
#include "whorl/op/tolerance_error.hpp"

namespace whorl {
namespace {

TEST(Nufft, APlanServesAnyNumberOfCoils) {
  const Context ctx;
  const auto points = test::random_points(ctx, 300, 2);
  const Nufft<float> three(ctx, points, {20, 31}, 3);
  const Nufft<float> one(three, 1);
  const auto x = test::random_array<float>(ctx, {3, 20, 31}, 4);
  Array<std::complex<float>> all(ctx, {3, 300});
  Array<std::complex<float>> single(ctx, {1, 300});
  three.forward(ctx, x, all);
  one.forward(ctx, x.slice(1).reshape({1, 20, 31}), single);
  EXPECT_EQ(test::relative_error(single, clone(ctx, all.slice(1).reshape({1, 300}))), 0);
  EXPECT_THROW(Nufft<float>(three, 0), ShapeError);
}

TEST(Nufft, CoilsBeyondOneBatch) {
  // A grid of 1024 x 1024 complex<double> takes 16 MiB: four coils, whose grids lie together, fill a batch, and the
  // other three are of one each.
  const Context ctx;
  const auto points = test::random_points(ctx, 50, 2);
  const Nufft<double> seven(ctx, points, {512, 512}, 7, {.tolerance = 1e-2});
  const Nufft<double> one(seven, 1);
  const auto y = test::random_array<double>(ctx, {7, 50}, 4);
  Array<std::complex<double>> all(ctx, seven.domain());
  Array<std::complex<double>> single(ctx, one.domain());
  seven.adjoint(ctx, y, all);
  for (const Index coil : {0, 3, 6}) {
    one.adjoint(ctx, y.slice(coil).reshape({1, 50}), single);
    EXPECT_EQ(test::relative_error(single, clone(ctx, all.slice(coil).reshape({1, 512, 512}))), 0);
  }
}

TEST(Nufft, TheGridIsLargeEnoughAndFast) {
  const Context ctx;
  const auto points = test::random_points(ctx, 30, 2);
  EXPECT_EQ(Nufft<float>(ctx, points, {96, 65}, 1, {.oversampling = 1.25}).grid(), (Shape{120, 90}));
  EXPECT_EQ(Nufft<float>(ctx, points, {256, 65}, 1, {.oversampling = 2}).grid(), (Shape{512, 144}));
}

TEST(Nufft, MemoryIsThatOfThePlanAndItsGrids) {
  const Context ctx({.threads = 2});
  constexpr Index samples = 40000;
  const NufftOptions options{};
  const auto points = test::random_points(ctx, samples, 2);
  const auto expected = nufft_memory<float>(ctx, points, {200, 160}, 4, options);
  const auto before_plan = ctx.pool().statistics();
  const Nufft<float> nufft(ctx, points, {200, 160}, 4, options);
  // The pool rounds blocks up by less than 1/8.
  const auto plan = static_cast<double>(ctx.pool().statistics().in_use - before_plan.in_use);
  EXPECT_GE(plan, static_cast<double>(expected.plan));
  EXPECT_LT(plan, 1.13 * static_cast<double>(expected.plan));
  const auto planning = static_cast<double>(ctx.pool().statistics().peak - before_plan.in_use);
  EXPECT_LT(planning, 1.13 * static_cast<double>(expected.plan + expected.planning));
  const auto y = test::random_array<float>(ctx, nufft.range(), 3);
  Array<std::complex<float>> x(ctx, nufft.domain());
  const auto before = ctx.pool().statistics();
  nufft.adjoint(ctx, y, x);
  const auto work = static_cast<double>(ctx.pool().statistics().peak - before.in_use);
  // The grids count exactly.
  EXPECT_LT(work, 1.13 * static_cast<double>(expected.adjoint));
  EXPECT_GT(work, 0.85 * static_cast<double>(expected.adjoint));
  EXPECT_EQ(expected.plan, samples * 22);
}

TEST(Nufft, MemoryOfTheNormalOperatorIsAsPredicted) {
  constexpr Index samples = 40000;
  const Shape image{200, 160};
  for (const auto method : {NormalMethod::pair, NormalMethod::toeplitz}) {
    const Context ctx({.threads = 2});
    const NufftOptions options{.normal = method};
    const auto points = test::random_points(ctx, samples, 2);
    const auto expected = nufft_memory<float>(ctx, points, image, 4, options);
    const Nufft<float> nufft(ctx, points, image, 4, options);
    const auto x = test::random_array<float>(ctx, nufft.domain(), 3);
    Array<std::complex<float>> z(ctx, nufft.domain());
    const Context fresh({.threads = 2});  // whose peak is not that of the planning
    nufft.normal(fresh, x, z);
    const auto work = static_cast<double>(fresh.pool().statistics().peak);
    const auto predicted = static_cast<double>(expected.normal);
    // The pool rounds up by less than 1/8. No tile is crowded, so there are no sums in double.
    EXPECT_LT(work, 1.13 * predicted);
    EXPECT_GT(work, 0.9 * predicted);
  }
}

TEST(Nufft, RefusesToleranceBelowTheFloorWithAWayOut) {
  const Context ctx;
  const auto points = test::random_points(ctx, 30, 2);
  try {
    const Nufft<float> nufft(ctx, points, {30, 30}, 1, {.tolerance = 1e-9});
    FAIL() << "1e-9 in single precision was taken";
  } catch (const ToleranceError& error) {
    EXPECT_NE(std::string(error.what()).find("double precision"), std::string::npos) << error.what();
  }
  EXPECT_NO_THROW(Nufft<double>(ctx, points, {30, 30}, 1, {.tolerance = 1e-9}));
}

}  // namespace
}  // namespace whorl
