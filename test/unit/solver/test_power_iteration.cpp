#include "whorl/solver/power_iteration.hpp"

#include <gtest/gtest.h>

#include "unit/solver/dense_system.hpp"

namespace whorl {
namespace {

TEST(PowerIteration, FindsTheLargestEigenvalue) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(30, 8);
  const double expected = Eigen::SelfAdjointEigenSolver<test::Matrix>(A).eigenvalues().maxCoeff();
  const double value =
      largest_eigenvalue<double>(ctx, test::as_function(A), {8}, {.iterations = 1000, .tolerance = 1e-13});
  EXPECT_NEAR(value / expected, 1, 1e-9);
  EXPECT_LE(value, expected * (1 + 1e-14));
}

TEST(PowerIteration, StopsEarlyAtACoarseTolerance) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(30, 8);
  const double expected = Eigen::SelfAdjointEigenSolver<test::Matrix>(A).eigenvalues().maxCoeff();
  const double value = largest_eigenvalue<double>(ctx, test::as_function(A), {8});
  EXPECT_GT(value, 0.8 * expected);
  EXPECT_LE(value, expected);
}

TEST(PowerIteration, AZeroOperatorIsRefused) {
  const Context ctx;
  const test::Matrix A = test::Matrix::Zero(4, 4);
  EXPECT_THROW(largest_eigenvalue<double>(ctx, test::as_function(A), {4}), ValueError);
}

}  // namespace
}  // namespace whorl
