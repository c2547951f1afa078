// Cholesky's decomposition of real matrices, which is made block by block.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "math/decompositions.hpp"
#include "whorl/core/random.hpp"

namespace whorl::detail {
namespace {

// B B^T + 1 of a random B. Above the diagonal, where nothing is to be read, it has NaN.
Eigen::MatrixXd lower_part_of_positive(Index n) {
  Eigen::MatrixXd b(n, n);
  for (Index i = 0; i < b.size(); ++i) b.data()[i] = random_normal(3, static_cast<std::uint64_t>(i));
  Eigen::MatrixXd a = b * b.transpose() + Eigen::MatrixXd::Identity(n, n);
  a.triangularView<Eigen::StrictlyUpper>().setConstant(std::nan(""));
  return a;
}

// Sizes on both sides of a block of 48.
TEST(Cholesky, FactorsGiveTheMatrix) {
  for (const Index n : {1, 5, 47, 48, 49, 131}) {
    const Eigen::MatrixXd a = lower_part_of_positive(n);
    const auto lower = cholesky(a);
    ASSERT_TRUE(lower.has_value()) << n;
    const Eigen::MatrixXd product = *lower * lower->transpose();
    const Eigen::MatrixXd sizes = lower->cwiseAbs() * lower->cwiseAbs().transpose();
    for (Index column = 0; column < n; ++column) {
      for (Index row = 0; row < n; ++row) {
        if (row < column) {
          EXPECT_EQ((*lower)(row, column), 0);
          continue;
        }
        // Backward stable (Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3): n + 1 roundings, and those of
        // the product here.
        const double tolerance =
            static_cast<double>(2 * n + 1) * std::numeric_limits<double>::epsilon() * sizes(row, column);
        EXPECT_NEAR(product(row, column), a(row, column), tolerance);
      }
    }
  }
}

TEST(Cholesky, ThereIsNoneOfAMatrixThatIsNotPositive) {
  for (const Index n : {3, 100}) {
    Eigen::MatrixXd a = lower_part_of_positive(n);
    a(n - 1, n - 1) = -1;
    EXPECT_FALSE(cholesky(a).has_value());
  }
}

}  // namespace
}  // namespace whorl::detail
