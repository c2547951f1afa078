#include "whorl/solver/largest_eigenvalue.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/file_content.hpp"
#include "unit/solver/dense_system.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

// A Hermitian matrix of these eigenvalues, with eigenvectors at random.
test::Matrix matrix_of(const std::vector<double>& eigenvalues) {
  const auto n = static_cast<Index>(eigenvalues.size());
  const test::Matrix U = test::orthonormal_basis(test::random_normal_matrix(n, n));
  const test::Vector values = Eigen::Map<const Eigen::VectorXd>(eigenvalues.data(), n).cast<Complex>();
  return U * values.asDiagonal() * U.adjoint();
}

// n values evenly from 0 to 1.
std::vector<double> even(Index n) {
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) values.push_back(static_cast<double>(i) / static_cast<double>(n - 1));
  return values;
}

std::vector<double> with(std::vector<double> values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

LargestEigenvalue largest_of(const test::Matrix& A, const LargestEigenvalueOptions& options = {}) {
  return largest_eigenvalue<double>(Context(), test::as_function(A), {A.rows()}, options);
}

// What the options promise, against all eigenvalues by dense algebra. Products and the eigenvalues of a few hundred
// rows round by some 1e-14 of the largest.
void expect_largest(const test::Matrix& A, const std::string& what) {
  const Eigen::VectorXd all = test::eigenvalues(A);
  const double expected = all.maxCoeff();
  const LargestEigenvalue found = largest_of(A);
  EXPECT_LE(found.value, expected * (1 + 1e-12)) << what;
  EXPECT_GE(found.value, expected * (1 - 1e-3)) << what;
  EXPECT_LE(found.residual, 1e-3 * found.value) << what;
  // The bound of any residual.
  EXPECT_LE((all.array() - found.value).abs().minCoeff(), found.residual + 1e-12 * expected) << what;
}

TEST(LargestEigenvalue, IsThatOfDenseAlgebra) {
  for (const Index n : {1, 2, 3, 8, 40}) {
    expect_largest(test::random_normal_matrix(3 * n, n), "random of " + std::to_string(n));
  }
  expect_largest(test::random_normal_matrix(3, 50), "rank 3 of 50");
  expect_largest(test::random_normal_matrix(1, 50), "rank 1 of 50");
  expect_largest(test::random_normal_matrix(1, 1), "1 x 1");
  expect_largest(1e-20 * test::random_normal_matrix(20, 10), "small numbers");
  expect_largest(1e20 * test::random_normal_matrix(20, 10), "large numbers");
}

TEST(LargestEigenvalue, OfSpectraWithADifficultTop) {
  expect_largest(matrix_of(std::vector<double>(30, 2.5)), "all alike");
  expect_largest(matrix_of(even(300)), "dense up to its end");
  expect_largest(matrix_of(with(even(200), std::vector<double>(5, 1.2))), "the largest five times");
  expect_largest(matrix_of(with(even(200), {1.19, 1.195, 1.198, 1.199, 1.2})), "a cluster");
  // A Ritz value between the two of a pair would be off by half of their distance.
  for (const double distance : {0.1, 0.03, 0.01, 0.003}) {
    expect_largest(matrix_of(with(even(200), {2, 2 + 2 * distance})), "a pair " + std::to_string(distance) + " apart");
  }
  std::vector<double> crowded;
  for (int i = 1; i <= 200; ++i) crowded.push_back(std::pow(i, -0.5));
  expect_largest(matrix_of(crowded), "as a radial trajectory's");
}

TEST(LargestEigenvalue, TakesAsManyStepsAsTheSpectrumHasValues) {
  EXPECT_EQ(largest_of(matrix_of(std::vector<double>(30, 2.5))).iterations, 1);
  EXPECT_LE(largest_of(matrix_of(with(std::vector<double>(40, 1), std::vector<double>(40, 3)))).iterations, 2);
  EXPECT_LE(largest_of(test::random_normal_matrix(1, 50)).iterations, 2);
}

// Two vectors of a million numbers, a constant with the eigenvalue 1 and one of turning signs with 1.06; all others
// have 0. The start lies along the first with 0.01 of its energy, and along the second with 1e-6: after two
// applications the residual of the first is some 0.06 * 0.01, below a thousandth, while 1.06 has not shown yet.
TEST(LargestEigenvalue, OneOfLittleWeightInTheStartIsNotMissed) {
  const Context ctx;
  constexpr Index n = 1 << 20;
  const auto apply = [](const Context&, ArrayRef<const Complex> x, ArrayRef<Complex> z) {
    Complex sum = 0;
    Complex turning = 0;
    for (Index i = 0; i < n; ++i) {
      sum += x.data()[i];
      turning += i % 2 == 0 ? x.data()[i] : -x.data()[i];
    }
    sum /= n;
    turning *= 1.06 / n;
    for (Index i = 0; i < n; ++i) z.data()[i] = i % 2 == 0 ? sum + turning : sum - turning;
  };
  const LargestEigenvalue two = largest_eigenvalue<double>(ctx, apply, {n}, {.iterations = 2});
  EXPECT_LT(two.value, 1.01);
  EXPECT_LT(two.residual, 1e-3);
  EXPECT_NEAR(largest_eigenvalue<double>(ctx, apply, {n}).value, 1.06, 1e-9);
}

TEST(LargestEigenvalue, AtTheLimitOfIterationsTheResidualSaysHowFar) {
  const test::Matrix A = matrix_of(even(300));
  const LargestEigenvalue found = largest_of(A, {.iterations = 5});
  EXPECT_EQ(found.iterations, 5);
  EXPECT_GT(found.residual, 1e-3);
  EXPECT_LT(found.value, 1);
  EXPECT_GT(found.value + found.residual, 1 - 1.0 / 299);
}

TEST(LargestEigenvalue, InSinglePrecisionToItsRounding) {
  const Context ctx;
  const test::Matrix A = test::random_normal_matrix(90, 30);
  const Eigen::MatrixXcf single = A.cast<std::complex<float>>();
  const auto apply = [&](const Context&, ArrayRef<const std::complex<float>> x, ArrayRef<std::complex<float>> z) {
    Eigen::Map<Eigen::VectorXcf>(z.data(), z.size()) = single * Eigen::Map<const Eigen::VectorXcf>(x.data(), x.size());
  };
  const double value = largest_eigenvalue<float>(ctx, apply, {30}, {.tolerance = 1e-5}).value;
  // Matrix and products round by some 6e-8 sqrt(30).
  EXPECT_NEAR(value / largest_of(A, {.tolerance = 1e-10}).value, 1, 2e-6);
}

TEST(LargestEigenvalue, WhatHasNoneIsRefused) {
  const test::Matrix zero = test::Matrix::Zero(4, 4);
  const std::string text = test::error_of<ValueError>([&] { largest_of(zero); });
  EXPECT_NE(text.find("the operator is zero"), std::string::npos) << text;
  test::Matrix broken = test::random_normal_matrix(6, 4);
  broken(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(test::error_of<ValueError>([&] { largest_of(broken); }).find("not finite"), std::string::npos);
  const test::Matrix A = test::random_normal_matrix(6, 4);
  EXPECT_THROW(largest_of(A, {.tolerance = 0}), ValueError);
  EXPECT_THROW(largest_of(A, {.iterations = 0}), ValueError);
  EXPECT_THROW(largest_eigenvalue<double>(Context(), test::as_function(A), {0}), ValueError);
}

}  // namespace
}  // namespace whorl
