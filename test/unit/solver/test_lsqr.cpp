#include "whorl/solver/lsqr.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "unit/solver/dense_system.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::Matrix;
using test::Vector;
using Complex = std::complex<double>;

Matrix random_matrix(Index rows, Index columns) {
  Matrix A(rows, columns);
  for (Index i = 0; i < A.size(); ++i) {
    A.data()[i] = {random_normal(5, static_cast<std::uint64_t>(i)), random_normal(6, static_cast<std::uint64_t>(i))};
  }
  return A;
}

Eigen::Map<const Vector> as_eigen(const Array<Complex>& x) { return {x.data(), x.size()}; }

// More rows than columns, fewer, and with damping: the normal equations by a direct solver, in the minimum-norm form
// where they are singular.
TEST(Lsqr, SolvesDenseLeastSquares) {
  const Context ctx;
  for (const auto& [rows, columns, damping] :
       {std::tuple{17, 9, 0.0}, std::tuple{7, 12, 0.0}, std::tuple{7, 12, 0.8}}) {
    const Matrix A = random_matrix(rows, columns);
    const Matrix adjoint = A.adjoint();
    const auto b = test::random_array<double>(ctx, {rows}, 9);
    auto x = test::random_array<double>(ctx, {columns}, 10);  // the start does not count
    const SolverReport report = lsqr<double>(ctx, test::as_function(A), test::as_function(adjoint), b, x,
                                             {.iterations = 60, .tolerance = 1e-13, .damping = damping});
    const Matrix outer = A * adjoint + damping * damping * Matrix::Identity(rows, rows);
    const Vector expected = rows < columns ? Vector(adjoint * test::solve_hermitian(outer, as_eigen(b)))
                                           : Vector(test::solve_hermitian(adjoint * A, adjoint * as_eigen(b)));
    EXPECT_LT((as_eigen(x) - expected).norm(), 1e-10 * expected.norm());
    EXPECT_EQ(report.stop_reason, StopReason::tolerance);
    EXPECT_EQ(report.residuals.size(), static_cast<std::size_t>(report.iterations) + 1);
    EXPECT_EQ(report.residuals.front(), 1);
  }
}

// The residual of the recurrence is that of the iterate.
TEST(Lsqr, ReportsTheResidualOfTheNormalEquations) {
  const Context ctx;
  const Matrix A = random_matrix(11, 8);
  const Matrix adjoint = A.adjoint();
  const auto b = test::random_array<double>(ctx, {11}, 9);
  for (const double damping : {0.0, 0.5}) {
    Array<Complex> x(ctx, {8});
    const SolverReport report = lsqr<double>(ctx, test::as_function(A), test::as_function(adjoint), b, x,
                                             {.iterations = 4, .tolerance = 0, .damping = damping});
    const Vector residual = adjoint * (as_eigen(b) - A * as_eigen(x)) - damping * damping * as_eigen(x);
    EXPECT_NEAR(report.residuals.back(), residual.norm() / (adjoint * as_eigen(b)).norm(), 1e-12);
    EXPECT_EQ(report.stop_reason, StopReason::iterations);
  }
}

TEST(Lsqr, NoIterationsGiveZero) {
  const Context ctx;
  const Matrix A = random_matrix(5, 4);
  const Matrix adjoint = A.adjoint();
  const auto b = test::random_array<double>(ctx, {5}, 9);
  auto x = test::random_array<double>(ctx, {4}, 10);
  const SolverReport report =
      lsqr<double>(ctx, test::as_function(A), test::as_function(adjoint), b, x, {.iterations = 0});
  EXPECT_EQ(report.residuals, std::vector<double>{1});
  EXPECT_EQ(as_eigen(x).norm(), 0);
}

TEST(Lsqr, ZeroDataGiveZero) {
  const Context ctx;
  const Matrix A = random_matrix(5, 4);
  const Matrix adjoint = A.adjoint();
  const auto b = zeros<Complex>(ctx, {5});
  auto x = test::random_array<double>(ctx, {4}, 10);
  const SolverReport report = lsqr<double>(ctx, test::as_function(A), test::as_function(adjoint), b, x);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(as_eigen(x).norm(), 0);
  EXPECT_THROW(lsqr<double>(ctx, test::as_function(A), test::as_function(adjoint), b, x, {.damping = -1}), ValueError);
}

}  // namespace
}  // namespace whorl
