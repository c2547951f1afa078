// Conjugate gradient whose scalars stay on the GPU, recorded and repeated, against the same on the CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/solver/conjugate_gradient.hpp"
#include "whorl/solver/largest_eigenvalue.hpp"

namespace whorl {
namespace {

using ComplexDouble = std::complex<double>;

// A = S^H S + 0.5: diagonal, with eigenvalues spread by the random maps, scratch from the pool in every application.
struct SolverProblem {
  explicit SolverProblem(const Context& ctx)
      : maps(test::random_array<double>(ctx, {3, 40, 57}, 1)),
        sense(maps.share()),
        b(test::random_array<double>(ctx, {40, 57}, 2)),
        x(zeros<ComplexDouble>(ctx, {40, 57})) {}

  SolverReport solve(const Context& ctx, const ConjugateGradientOptions& options,
                     const IterationCallback& callback = {}) {
    return conjugate_gradient<double>(
        ctx,
        [&](const Context& c, ArrayRef<const ComplexDouble> p, ArrayRef<ComplexDouble> q) {
          sense.normal(c, p, q);
          axpby<double>(c, 0.5, p, sign, q);
        },
        b, x, options, callback);
  }

  Array<ComplexDouble> maps;
  Sense<double> sense;
  Array<ComplexDouble> b;
  Array<ComplexDouble> x;
  double sign = 1;
};

TEST(CudaConjugateGradient, TakesTheStepsOfTheCpu) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  SolverProblem there(ctx);
  SolverProblem here(host);
  std::vector<double> seen;
  const ConjugateGradientOptions options{.iterations = 40, .tolerance = 1e-8};
  const SolverReport found = there.solve(ctx, options, [&](int, double residual) { seen.push_back(residual); });
  const SolverReport expected = here.solve(host, options);
  EXPECT_EQ(found.iterations, expected.iterations);
  EXPECT_EQ(found.stop_reason, StopReason::tolerance);
  ASSERT_EQ(found.residuals.size(), expected.residuals.size());
  EXPECT_EQ(std::vector<double>(found.residuals.begin() + 1, found.residuals.end()), seen);
  // Sums are in another order: rounding of a double, amplified by the condition number of some 30 in each of the
  // steps.
  for (std::size_t i = 0; i < expected.residuals.size(); ++i) {
    EXPECT_NEAR(found.residuals[i], expected.residuals[i], 1e-10) << i;
  }
  // Both are within 1e-8 of the solution times the condition number.
  EXPECT_LT(test::relative_error(ctx, there.x, clone<const ComplexDouble>(host, here.x)), 1e-10);
}

TEST(CudaConjugateGradient, StopsAtTheLimitOfIterations) {
  const Context ctx = test::device_context();
  for (const int iterations : {0, 1, 2, 3, 5, 6}) {
    SolverProblem there(ctx);
    SolverProblem here(ctx.host());
    const ConjugateGradientOptions options{.iterations = iterations, .tolerance = 0};
    const SolverReport report = there.solve(ctx, options);
    EXPECT_EQ(report.iterations, iterations);
    EXPECT_EQ(report.stop_reason, StopReason::iterations);
    here.solve(ctx.host(), options);
    if (iterations > 0) {
      EXPECT_LT(test::relative_error(ctx, there.x, clone<const ComplexDouble>(ctx.host(), here.x)), 1e-13);
    }
  }
}

// Two systems of one operator, of which one ends steps before the other: each as it is alone, to the last bit.
TEST(CudaConjugateGradient, SystemsAreSolvedAsTheyAreAlone) {
  const Context ctx = test::device_context();
  SolverProblem first(ctx);
  SolverProblem second(ctx);
  const SolverReport easy = first.solve(ctx, {.iterations = 40, .tolerance = 1e-2});
  auto b = Array<ComplexDouble>(ctx, first.b.shape().with_front(2));
  copy<ComplexDouble>(ctx, first.b, b.slice(0));
  // As good as solved: the start of the second system's way is the end of the first's.
  auto x = zeros<ComplexDouble>(ctx, b.shape());
  copy<ComplexDouble>(ctx, first.b, b.slice(1));
  copy<ComplexDouble>(ctx, first.x, x.slice(1));
  copy<ComplexDouble>(ctx, first.x, second.x);
  const ConjugateGradientOptions options{.iterations = 40, .tolerance = 1e-8};
  SolverProblem alone(ctx);
  const std::vector<SolverReport> expected{alone.solve(ctx, options), second.solve(ctx, options)};
  const auto found = conjugate_gradients<double>(
      ctx,
      [&](const Context& c, ArrayRef<const ComplexDouble> p, ArrayRef<ComplexDouble> q) {
        for (Index i = 0; i < 2; ++i) {
          first.sense.normal(c, p.slice(i), q.slice(i));
          axpby<double>(c, 0.5, p.slice(i), 1, q.slice(i));
        }
      },
      b, x, options);
  EXPECT_LT(found[1].iterations, found[0].iterations);
  EXPECT_GT(easy.iterations, 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(found[i].iterations, expected[i].iterations) << i;
    EXPECT_EQ(found[i].residuals, expected[i].residuals) << i;
  }
  EXPECT_EQ(test::relative_error(ctx, clone(ctx, x.slice(0)), alone.x), 0);
  EXPECT_EQ(test::relative_error(ctx, clone(ctx, x.slice(1)), second.x), 0);
}

// Four systems, two of them as good as solved: they drop out, and the others get their places.
TEST(CudaConjugateGradient, SystemsThatHaveEndedDropOut) {
  const Context ctx = test::device_context();
  SolverProblem first(ctx);
  SolverProblem second(ctx);
  first.solve(ctx, {.iterations = 40, .tolerance = 1e-6});
  auto b = Array<ComplexDouble>(ctx, first.b.shape().with_front(4));
  auto x = zeros<ComplexDouble>(ctx, b.shape());
  for (Index i = 0; i < 4; ++i) copy<ComplexDouble>(ctx, first.b, b.slice(i));
  for (Index i = 0; i < 2; ++i) copy<ComplexDouble>(ctx, first.x, x.slice(i));
  copy<ComplexDouble>(ctx, first.x, second.x);
  const ConjugateGradientOptions options{.iterations = 40, .tolerance = 1e-8};
  SolverProblem alone(ctx);
  const SolverReport of_alone = alone.solve(ctx, options);
  const SolverReport of_second = second.solve(ctx, options);
  ASSERT_LT(of_second.iterations + 4, of_alone.iterations);
  std::vector<std::size_t> applied;
  const NormalOfSystems<double> some = [&](const Context& c, std::span<const Index> systems,
                                           ArrayRef<const ComplexDouble> p, ArrayRef<ComplexDouble> q) {
    applied.push_back(systems.size());
    for (Index i = 0; i < std::ssize(systems); ++i) {
      first.sense.normal(c, p.slice(i), q.slice(i));
      axpby<double>(c, 0.5, p.slice(i), 1, q.slice(i));
    }
  };
  const auto found = conjugate_gradients<double>(ctx, some, b, x, options);
  for (std::size_t i = 0; i < 4; ++i) {
    const SolverReport& expected = i < 2 ? of_second : of_alone;
    EXPECT_EQ(found[i].iterations, expected.iterations) << i;
    EXPECT_EQ(found[i].residuals, expected.residuals) << i;
    EXPECT_EQ(test::relative_error(ctx, clone(ctx, x.slice(static_cast<Index>(i))), i < 2 ? second.x : alone.x), 0);
  }
  EXPECT_EQ(applied.front(), 4U);
  EXPECT_EQ(applied.back(), 2U);
}

TEST(CudaConjugateGradient, BreaksDownAndTellsOfNumbersThatAreNone) {
  const Context ctx = test::device_context();
  SolverProblem negative(ctx);
  negative.sign = -1;
  EXPECT_EQ(negative.solve(ctx, {}).stop_reason, StopReason::breakdown);
  SolverProblem invalid(ctx);
  fill<ComplexDouble>(ctx, invalid.maps, std::nan(""));
  EXPECT_THROW(invalid.solve(ctx, {}), ValueError);
}

TEST(CudaConjugateGradient, ACallbackMayUseTheDevice) {
  const Context ctx = test::device_context();
  SolverProblem quiet(ctx);
  quiet.solve(ctx, {.iterations = 12, .tolerance = 0});
  SolverProblem asked(ctx);
  double last = 0;
  asked.solve(ctx, {.iterations = 12, .tolerance = 0}, [&](int, double) { last = norm<double>(ctx, asked.b); });
  EXPECT_GT(last, 0);
  EXPECT_EQ(test::relative_error(ctx, asked.x, quiet.x), 0);
}

// Sums are in another order. The operator is diagonal, with many values near the largest, so that the recurrence
// goes on for tens of steps; the largest value of the matrix does not feel their rounding any more than that of sums.
TEST(CudaLargestEigenvalue, IsThatOfTheCpu) {
  const Context ctx = test::device_context();
  const auto eigenvalue = [](const Context& where) {
    const SolverProblem problem(where);
    return largest_eigenvalue<double>(where,
                                      [&](const Context& c, ArrayRef<const ComplexDouble> x,
                                          ArrayRef<ComplexDouble> z) { problem.sense.normal(c, x, z); },
                                      {40, 57});
  };
  const LargestEigenvalue here = eigenvalue(ctx.host());
  const LargestEigenvalue there = eigenvalue(ctx);
  EXPECT_EQ(there.iterations, here.iterations);
  EXPECT_NEAR(there.value / here.value, 1, 1e-12);
}

}  // namespace
}  // namespace whorl
