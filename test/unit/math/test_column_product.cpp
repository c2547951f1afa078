// Products of columns against sums in a plain loop.
#include "math/column_product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "whorl/core/random.hpp"

namespace whorl::detail {
namespace {

Eigen::MatrixXd random_matrix(Index rows, Index columns, std::uint64_t seed) {
  Eigen::MatrixXd matrix(rows, columns);
  for (Index i = 0; i < matrix.size(); ++i) matrix.data()[i] = random_normal(seed, static_cast<std::uint64_t>(i));
  return matrix;
}

// Extents on both sides of what is taken at a time: 512 rows, 8 lanes, 4 columns.
TEST(ColumnProduct, IsTheSumOverTheRows) {
  for (const Index rows : {0, 1, 7, 8, 41, 511, 513, 1100}) {
    for (const Index a_columns : {1, 4, 7}) {
      for (const Index b_columns : {1, 2, 3, 4, 9}) {
        const Eigen::MatrixXd a = random_matrix(rows + 2, a_columns, 1);
        const Eigen::MatrixXd b = random_matrix(rows + 1, b_columns, 2);
        const Eigen::MatrixXd product = column_product(a.middleRows(1, rows), b.topRows(rows));
        ASSERT_EQ(product.rows(), a_columns);
        ASSERT_EQ(product.cols(), b_columns);
        for (Index i = 0; i < a_columns; ++i) {
          for (Index j = 0; j < b_columns; ++j) {
            long double sum = 0;
            double size = 0;
            for (Index k = 0; k < rows; ++k) {
              sum += static_cast<long double>(a(k + 1, i)) * b(k, j);
              size += std::abs(a(k + 1, i) * b(k, j));
            }
            // A rounding for each row at most, of sums no larger than that of the magnitudes.
            EXPECT_NEAR(product(i, j), static_cast<double>(sum), 1.2e-16 * static_cast<double>(rows + 1) * size);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace whorl::detail
