#include "math/tridiagonal_eigen.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>

namespace whorl {
namespace {

// T = tridiag(-1, 2, -1): eigenvalues 2 - 2 cos(pi k / (n + 1)), eigenvectors sin(pi k (i + 1) / (n + 1)).
TEST(TridiagonalEigen, TheSecondDifferenceIsKnown) {
  constexpr Index n = 37;
  std::vector<double> diagonal(n, 2.0);
  std::vector<double> below(n, -1.0);
  detail::TridiagonalEigen<double> eigen;
  Index ticks = 0;
  ASSERT_TRUE(eigen.compute(diagonal, below, [&] { ++ticks; }));
  EXPECT_EQ(ticks, n);
  std::vector<double> sorted = diagonal;
  std::sort(sorted.begin(), sorted.end());
  // Some ten roundings of the largest eigenvalue, 4.
  constexpr double tolerance = 1e-14;
  for (Index k = 1; k <= n; ++k) {
    EXPECT_NEAR(sorted[k - 1], 2 - 2 * std::cos(std::numbers::pi * static_cast<double>(k) / (n + 1)), tolerance);
  }
  // The gap of the largest to the next is 0.02, so its vector is good to the tolerance over that.
  const auto largest = std::max_element(diagonal.begin(), diagonal.end()) - diagonal.begin();
  std::vector<double> rows(2 * n, 0.0);  // two columns: the vector of the largest eigenvalue, and that of number 0
  rows[2 * largest] = 1;
  rows[1] = 1;
  eigen.to_eigenvectors<2>(rows.data());
  const double sign = rows[0] > 0 ? 1 : -1;
  const double norm = std::sqrt(2.0 / (n + 1));
  for (Index i = 0; i < n; ++i) {
    const double expected = norm * std::sin(std::numbers::pi * static_cast<double>(n * (i + 1)) / (n + 1));
    EXPECT_NEAR(sign * rows[2 * i], expected, 50 * tolerance) << i;
  }
  for (Index i = 0; i < n; ++i) {  // T v = lambda v
    const auto at = [&](Index place) { return place < 0 || place == n ? 0.0 : rows[2 * place + 1]; };
    EXPECT_NEAR(2 * at(i) - at(i - 1) - at(i + 1), diagonal[0] * at(i), 10 * tolerance) << i;
  }
}

TEST(TridiagonalEigen, DiagonalAndZeroMatrices) {
  detail::TridiagonalEigen<float> eigen;
  std::vector<float> diagonal{3, 0, -2};
  std::vector<float> below{0, 0, 0};
  ASSERT_TRUE(eigen.compute(diagonal, below, [] {}));
  EXPECT_EQ(diagonal, (std::vector<float>{3, 0, -2}));
  std::vector<float> zero(4, 0.0F);
  std::vector<float> below_zero(4, 0.0F);
  ASSERT_TRUE(eigen.compute(zero, below_zero, [] {}));
  std::vector<float> unit{0, 0, 1, 0};
  eigen.to_eigenvectors<1>(unit.data());
  EXPECT_EQ(unit, (std::vector<float>{0, 0, 1, 0}));
}

}  // namespace
}  // namespace whorl
