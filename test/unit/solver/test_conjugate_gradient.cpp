#include "whorl/solver/conjugate_gradient.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <span>
#include <type_traits>

#include "solver/overwriting_gradients.hpp"
#include "support/compare.hpp"
#include "support/file_content.hpp"
#include "unit/solver/dense_system.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

TEST(ConjugateGradient, SolvesADenseSystem) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(40, 12);
  const auto b = test::random_array<double>(ctx, {12}, 9);
  auto x = test::random_array<double>(ctx, {12}, 10);  // any start will do
  std::vector<double> seen;
  const auto report =
      conjugate_gradient<double>(ctx, test::as_function(A), b, x, {.iterations = 40, .tolerance = 1e-12},
                                 [&](int, double residual) { seen.push_back(residual); });
  const test::Vector expected = test::solve_hermitian(A, Eigen::Map<const test::Vector>(b.data(), 12));
  const double error = (Eigen::Map<const test::Vector>(x.data(), 12) - expected).norm() / expected.norm();
  // |x - x*| / |x*| <= condition * residual; the condition number of this matrix is below 50.
  EXPECT_LT(error, 50 * 1e-12);
  EXPECT_EQ(report.stop_reason, StopReason::tolerance);
  EXPECT_LE(report.iterations, 20);
  ASSERT_EQ(report.residuals.size(), static_cast<std::size_t>(report.iterations) + 1);
  EXPECT_EQ(std::vector<double>(report.residuals.begin() + 1, report.residuals.end()), seen);
}

TEST(ConjugateGradient, TheCallerStopsIt) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(40, 12);
  const auto b = test::random_array<double>(ctx, {2, 12}, 9);
  const auto both = [&](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
    for (Index i = 0; i < 2; ++i) test::as_function(A)(c, x.slice(i), z.slice(i));
  };
  Array<Complex> x = zeros<Complex>(ctx, {2, 12});
  const auto reports = conjugate_gradients(ctx, both, b, x, {.iterations = 9, .tolerance = 0},
                                           [](int iteration, double) { return iteration < 3; });
  for (const SolverReport& report : reports) {
    EXPECT_EQ(report.stop_reason, StopReason::callback);
    EXPECT_EQ(report.iterations, 3);
    EXPECT_EQ(report.residuals.size(), 4U);
  }
  EXPECT_EQ(to_string(StopReason::callback), "stopped by the caller");
  // The x of three steps.
  Array<Complex> expected = zeros<Complex>(ctx, {2, 12});
  conjugate_gradients(ctx, both, b, expected, {.iterations = 3, .tolerance = 0});
  EXPECT_EQ(test::relative_error(x, expected), 0);
}

TEST(ConjugateGradient, CallbacksMayReturnNothingAndMayBeEmpty) {
  static_assert(std::is_constructible_v<IterationCallback, void (*)(int, double)>);
  static_assert(std::is_constructible_v<IterationCallback, bool (*)(int, double)>);
  static_assert(!std::is_constructible_v<IterationCallback, int (*)(int, double)>, "continue or stop?");
  EXPECT_FALSE(IterationCallback(std::function<void(int, double)>()));
  EXPECT_FALSE(IterationCallback(std::function<bool(int, double)>()));
  EXPECT_TRUE(IterationCallback([](int, double) {})(1, 0.5));
}

TEST(ConjugateGradient, TheFirstResidualIsThatOfTheStart) {
  const Context ctx;
  const NormalFunction<double> twice = [](const Context& c, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
    axpby(c, 2, x, 0, z);
  };
  Array<Complex> b(ctx, {3});
  fill(b, 4);
  Array<Complex> x(ctx, {3});
  fill(x, 3);  // |4 - 2 * 3| / |4|
  EXPECT_DOUBLE_EQ(conjugate_gradient(ctx, twice, b, x).residuals.front(), 0.5);
  EXPECT_THROW(conjugate_gradient(ctx, twice, x, x), ValueError);
  EXPECT_THROW(conjugate_gradient(ctx, NormalFunction<double>(), b, x), ValueError);
}

// Eigenvalues over four decades, c = 100: e^H A e falls by (1 - 2/c)^2 a step at least, so by a factor 0.72 in eight,
// and what is left is at most 0.72 / 0.28 = 2.6 times what they took.
TEST(ConjugateGradient, StopsByTheEstimateOfItsError) {
  const Context ctx;
  constexpr Index n = 200;
  const test::Matrix U = test::orthonormal_basis(test::random_normal_matrix(n, n));
  test::Vector values(n);
  for (Index i = 0; i < n; ++i) values[i] = std::pow(10, -4.0 * static_cast<double>(i) / (n - 1));
  const test::Matrix A = U * values.asDiagonal() * U.adjoint();
  const auto b = test::random_array<double>(ctx, {n}, 9);
  const test::Vector expected = test::solve_hermitian(A, Eigen::Map<const test::Vector>(b.data(), n));
  const auto error_after = [&](const ConjugateGradientOptions& options, SolverReport& report) {
    auto x = zeros<Complex>(ctx, {n});
    report = conjugate_gradient<double>(ctx, test::as_function(A), b, x, options);
    const test::Vector e = Eigen::Map<const test::Vector>(x.data(), n) - expected;
    return std::sqrt(e.dot(A * e).real());
  };
  const double size = std::sqrt(expected.dot(A * expected).real());
  for (const double part : {0.1, 1e-2, 1e-4}) {
    SolverReport report;
    SolverReport shorter;
    EXPECT_LE(error_after({.iterations = 2000, .tolerance = 0, .error = part * size}, report), 1.62 * part * size);
    EXPECT_EQ(report.stop_reason, StopReason::error);
    // The step before, the estimate was larger: so the error nine steps ago was.
    EXPECT_GE(error_after({.iterations = report.iterations - 9, .tolerance = 0}, shorter), part * size);
  }
}

TEST(ConjugateGradient, StopsByIterations) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(40, 12);
  const auto b = test::random_array<double>(ctx, {12}, 9);
  auto x = zeros<Complex>(ctx, {12});
  const auto report = conjugate_gradient<double>(ctx, test::as_function(A), b, x, {.iterations = 3, .tolerance = 0});
  EXPECT_EQ(report.iterations, 3);
  EXPECT_EQ(report.stop_reason, StopReason::iterations);
  EXPECT_DOUBLE_EQ(report.residuals.front(), 1);
}

TEST(ConjugateGradient, AZeroRightHandSideIsSolvedAtOnce) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(5, 5);
  const auto b = zeros<Complex>(ctx, {5});
  auto x = test::random_array<double>(ctx, {5}, 1);
  EXPECT_EQ(conjugate_gradient<double>(ctx, test::as_function(A), b, x).iterations, 0);
  for (const auto& value : x.span()) EXPECT_EQ(value, 0.0);
}

TEST(ConjugateGradient, AnOperatorThatIsNotPositiveBreaksDown) {
  const Context ctx;
  const test::Matrix A = -test::random_normal_matrix(9, 5);
  const auto b = test::random_array<double>(ctx, {5}, 1);
  auto x = zeros<Complex>(ctx, {5});
  EXPECT_EQ(conjugate_gradient<double>(ctx, test::as_function(A), b, x).stop_reason, StopReason::breakdown);
}

TEST(ConjugateGradient, BadArguments) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(9, 5);
  auto b = test::random_array<double>(ctx, {5}, 1);
  auto x = zeros<Complex>(ctx, {5});
  auto longer = zeros<Complex>(ctx, {6});
  const auto function = test::as_function(A);
  EXPECT_THROW(conjugate_gradient<double>(ctx, function, b, longer), ShapeError);
  EXPECT_THROW(conjugate_gradient<double>(ctx, function, b, x, {.iterations = -1}), ValueError);
  EXPECT_THROW(conjugate_gradient<double>(ctx, function, b, x, {.tolerance = std::nan("")}), ValueError);
  EXPECT_THROW(conjugate_gradient<double>(ctx, function, b, x, {.error = -1}), ValueError);
  b.data()[2] = std::nan("");
  // A solver knows of no coil maps.
  const std::string message = test::error_of<ValueError>([&] { conjugate_gradient<double>(ctx, function, b, x); });
  EXPECT_EQ(message.find("maps"), std::string::npos) << message;
}

// One of the systems has no data, one is solved in a single step (b is an eigenvector), the others take many. Each is
// solved as it is alone, to the last bit.
TEST(ConjugateGradients, EachSystemEndsByItself) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(40, 12);
  auto b = test::random_array<double>(ctx, {4, 12}, 9);
  fill<Complex>(b.slice(1), 0);
  Eigen::Map<test::Vector>(b.slice(2).data(), 12) = test::eigenvectors(A).col(7);
  auto x = test::random_array<double>(ctx, {4, 12}, 10);
  fill<Complex>(x.slice(2), 0);
  auto expected = clone(ctx, x.ref());
  const ConjugateGradientOptions options{.iterations = 40, .tolerance = 1e-9};
  std::vector<double> seen;
  const auto reports = conjugate_gradients<double>(
      ctx,
      [&](const Context& c, ArrayRef<const Complex> p, ArrayRef<Complex> q) {
        for (Index i = 0; i < 4; ++i) test::as_function(A)(c, p.slice(i), q.slice(i));
      },
      b, x, options, [&](int, double residual) { seen.push_back(residual); });
  ASSERT_EQ(reports.size(), 4U);
  for (Index i = 0; i < 4; ++i) {
    const SolverReport& found = reports[static_cast<std::size_t>(i)];
    const SolverReport alone =
        conjugate_gradient<double>(ctx, test::as_function(A), b.slice(i), expected.slice(i), options);
    EXPECT_EQ(found.iterations, alone.iterations) << i;
    EXPECT_EQ(found.residuals, alone.residuals) << i;
    EXPECT_EQ(found.stop_reason, alone.stop_reason) << i;
  }
  EXPECT_EQ(test::relative_error(x, expected), 0);
  EXPECT_EQ(reports[1].iterations, 0);
  EXPECT_EQ(reports[2].iterations, 1);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(std::max(reports[0].iterations, reports[3].iterations)));
  EXPECT_LE(seen.back(), options.tolerance);
}

// Five systems that end after 0, 1 and many steps, the early ones in front: the others get their places, and all
// results are what they are alone, to the last bit. The operator is applied to those that are left, and to no other.
TEST(ConjugateGradients, SystemsThatHaveEndedDropOut) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(40, 12);
  auto b = test::random_array<double>(ctx, {5, 12}, 9);
  fill<Complex>(b.slice(0), 0);
  const test::Matrix eigenvectors = test::eigenvectors(A);
  Eigen::Map<test::Vector>(b.slice(1).data(), 12) = eigenvectors.col(7);
  Eigen::Map<test::Vector>(b.slice(3).data(), 12) = eigenvectors.col(3) + eigenvectors.col(9);
  Array<Complex> x = zeros<Complex>(ctx, {5, 12});
  Array<Complex> expected = zeros<Complex>(ctx, {5, 12});
  const ConjugateGradientOptions options{.iterations = 40, .tolerance = 1e-9};
  std::vector<std::vector<Index>> applied;
  const NormalOfSystems<double> some = [&](const Context& c, std::span<const Index> systems, ArrayRef<const Complex> p,
                                           ArrayRef<Complex> q) {
    applied.emplace_back(systems.begin(), systems.end());
    ASSERT_EQ(p.shape(), (Shape{std::ssize(systems), 12}));
    for (Index i = 0; i < std::ssize(systems); ++i) test::as_function(A)(c, p.slice(i), q.slice(i));
  };
  const auto reports = conjugate_gradients<double>(ctx, some, b, x, options);
  std::vector<int> applications(5);
  for (const auto& systems : applied) {
    for (const Index system : systems) ++applications[static_cast<std::size_t>(system)];
  }
  for (Index i = 0; i < 5; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const SolverReport alone =
        conjugate_gradient<double>(ctx, test::as_function(A), b.slice(i), expected.slice(i), options);
    EXPECT_EQ(reports[at].iterations, alone.iterations) << i;
    EXPECT_EQ(reports[at].residuals, alone.residuals) << i;
    EXPECT_EQ(reports[at].stop_reason, alone.stop_reason) << i;
    // None for the start at zero; where there is nothing to do, one step of the others goes by.
    EXPECT_EQ(applications[at], std::max(alone.iterations, 1)) << i;
  }
  EXPECT_EQ(reports[0].iterations, 0);
  EXPECT_EQ(reports[1].iterations, 1);
  EXPECT_EQ(reports[3].iterations, 2);
  EXPECT_TRUE(std::equal(x.span().begin(), x.span().end(), expected.span().begin()));
  // In the memory of b.
  Array<Complex> in_place = zeros<Complex>(ctx, {5, 12});
  conjugate_gradient_detail::conjugate_gradients_from<double>(ctx, some, std::move(b), in_place, options, {}, nullptr);
  EXPECT_TRUE(std::equal(x.span().begin(), x.span().end(), in_place.span().begin()));
}

TEST(ConjugateGradients, NeedASystem) {
  const Context ctx;
  auto none = zeros<Complex>(ctx, {0, 12});
  const test::Matrix A = test::random_normal_matrix(40, 12);
  EXPECT_THROW(conjugate_gradients<double>(ctx, test::as_function(A), none, none), ShapeError);
  EXPECT_THROW(conjugate_gradients<double>(ctx, NormalOfSystems<double>(), none, none), ValueError);
}

TEST(SolverReport, ReasonsHaveNames) {
  EXPECT_EQ(to_string(StopReason::tolerance), "reached the tolerance");
  EXPECT_EQ(to_string(StopReason::iterations), "reached the limit of iterations");
  EXPECT_EQ(to_string(StopReason::breakdown), "stopped where rounding errors dominate");
}

}  // namespace
}  // namespace whorl
