// The small cases of the list that is timed (bench/cases.hpp), held to their tolerance: what `whorl bench` times is
// right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bench/case_runner.hpp"
#include "bench/parity.hpp"
#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/op/dft.hpp"

namespace whorl {
namespace {

using bench::Case;
using bench::CaseRunner;

TEST(Cases, HoldTheirTolerance) {
  CaseRunner runner(test::device_context());
  for (const Case& what : bench::parity_cases("")) {
    runner.prepare(what);
    runner.apply();
    const double error = runner.error();
    EXPECT_LE(error, bench::allowed_error(what)) << what.name();
    // Rounding to float alone leaves 2^-25 of a value on the mean: less is an error that was not measured.
    EXPECT_GE(error, std::ldexp(1.0, -27)) << what.name();
  }
}

// On the CPU it holds both sides of the comparison to be the same.
TEST(Kernels, AgreeWithTheCpu) {
  const Context ctx = test::device_context();
  for (const bench::KernelCheck& check : bench::kernel_checks("")) {
    const bench::Parity parity = check.run(ctx);
    EXPECT_LE(parity.error, parity.allowed) << check.name;
    EXPECT_LT(parity.allowed, 1e-3) << check.name;
  }
}

TEST(Cases, ManyThreadsAndOneAgree) {
  CaseRunner one(test::device_context(1));
  CaseRunner three(test::device_context(3));
  for (const Case& what : bench::cases_like("small-(radial|kooshball).*/(forward|adjoint)/5-coils/1e-4")) {
    one.prepare(what);
    three.prepare(what);
    // The exact values are those of either, whose error is measured against them: sums in double of other order.
    ASSERT_EQ(one.exact().places, three.exact().places);
    double difference = 0;
    double total = 0;
    for (std::size_t i = 0; i < one.exact().values.size(); ++i) {
      difference += std::norm(one.exact().values[i] - three.exact().values[i]);
      total += std::norm(one.exact().values[i]);
    }
    EXPECT_LE(std::sqrt(difference / total), 1e-13) << what.name();
    one.apply();
    three.apply();
    // Two results within 1e-4 of the truth that differ by rounding alone.
    EXPECT_NEAR(one.error(), three.error(), 1e-6) << what.name();
  }
}

TEST(Cases, NamesTellThemApart) {
  std::set<std::string> names;
  const auto cases = bench::all_cases();
  for (const Case& what : cases) names.insert(what.name());
  EXPECT_EQ(names.size(), cases.size());
  for (const char* name : {"nufft/radial-2d-256/normal/12-coils/1e-6", "nufft/random-3d-256/adjoint/1-coil/1e-3",
                           "dft/random-2d-64/forward/1-coil/1e-5"}) {
    EXPECT_EQ(names.count(name), 1U) << name;
  }
  for (const Case& what : bench::cases_like("")) EXPECT_FALSE(what.problem->on_request);
  EXPECT_EQ(bench::cases_like("/kooshball-3d-128/forward/8-coils/1e-4$").size(), 1U);
  EXPECT_TRUE(bench::cases_like("no such case").empty());
  EXPECT_THROW(bench::cases_like("[a"), ValueError);
}

// The trajectories of the full size, without their transforms.
TEST(Cases, HaveTheSamplesThatTheyAreKnownFor) {
  const Context ctx;
  std::set<std::string> seen;
  for (const Case& what : bench::all_cases()) {
    const bench::Problem& problem = *what.problem;
    if (problem.on_request || problem.name == "random-3d-256" || !seen.insert(problem.name).second) continue;
    const Trajectory trajectory = problem.make_trajectory(ctx);
    check_trajectory(trajectory.points);
    EXPECT_EQ(trajectory.dim(), problem.image.rank());
    if (problem.name == "radial-2d-256") {
      EXPECT_EQ(trajectory.samples(), 205824);
    } else if (problem.name == "kooshball-3d-128") {
      EXPECT_EQ(trajectory.samples(), 284592);
    } else if (problem.name == "spiral-2d-256") {
      // Designed under gradient limits: what rounding leaves of the length of an arm.
      EXPECT_NEAR(static_cast<double>(trajectory.samples()), 1.06e5, 1e3);
    }
  }
}

// The sums that errors are measured against, by an operator that does not share their factors.
TEST(ExactValues, AreThoseOfTheExactTransform) {
  const Context ctx({.threads = 2});
  const Shape image_shape{5, 4, 7};
  const Trajectory trajectory = bench::cases_like("small-random-3d").front().problem->make_trajectory(ctx);
  const auto image = test::random_array<float>(ctx, image_shape.with_front(2), 3);
  const auto data = test::random_array<float>(ctx, {2, trajectory.samples()}, 4);
  const Dft<float> dft(ctx, trajectory.points, image_shape, 2);
  Array<std::complex<float>> y(ctx, dft.range());
  Array<std::complex<float>> x(ctx, dft.domain());
  dft.forward(ctx, image, y);
  dft.adjoint(ctx, data, x);
  // The accuracy that Dft promises in single precision.
  EXPECT_LE(bench::relative_error(y, bench::exact_forward(ctx, trajectory.points, image)), 1e-5);
  EXPECT_LE(bench::relative_error(x, bench::exact_adjoint(ctx, trajectory.points, data, image_shape)), 1e-5);
  EXPECT_GT(bench::relative_error(y, bench::exact_forward(ctx, trajectory.points, x)), 0.1);
}

TEST(ExactValues, StopOnRequest) {
  const Context ctx({.threads = 2});
  CaseRunner runner(ctx);
  const Case what = bench::cases_like("small-radial-2d").front();
  runner.prepare(what);
  ctx.request_cancel();
  EXPECT_THROW(runner.measure(what), Cancelled);
  const auto image = test::random_array<float>(ctx, {1, 36, 44}, 3);
  EXPECT_THROW(bench::exact_forward(ctx, runner.trajectory().points, image), Cancelled);
  const auto data = test::random_array<float>(ctx, {1, runner.trajectory().samples()}, 3);
  EXPECT_THROW(bench::exact_adjoint(ctx, runner.trajectory().points, data, {36, 44}), Cancelled);
}

}  // namespace
}  // namespace whorl
