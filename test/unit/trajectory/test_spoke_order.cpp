#include "whorl/trajectory/spoke_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using std::numbers::pi;

TEST(SpokeOrder, TinyGoldenAnglesAreThoseOfThePaper) {
  // The golden angles of Wundrak et al. in degrees, to two digits: half a unit of the last.
  const std::vector<std::pair<Index, double>> table{{1, 111.25}, {2, 68.75}, {3, 49.75}, {4, 38.98}, {5, 32.04},
                                                    {6, 27.20},  {7, 23.63}, {8, 20.89}, {9, 18.71}, {10, 16.95}};
  for (const auto& [n, degrees] : table) {
    const auto angles = spoke_angles(3, SpokeOrder::golden_angle, n, pi);
    EXPECT_NEAR(angles[1] * 180 / pi, degrees, 0.0051) << n;
    EXPECT_NEAR(angles[2], 2 * angles[1], 1e-15);
  }
}

TEST(SpokeOrder, FibonacciSpokesAreUniformAndNearlyGolden) {
  // Sums that follow Fibonacci's rule from 1 and n on.
  const std::vector<std::pair<Index, std::vector<Index>>> sums{
      {1, {1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233}}, {2, {2, 3, 5, 8, 13, 21}}, {7, {7, 8, 15, 23, 38, 61, 99}}};
  for (const auto& [n, counts] : sums) {
    for (const Index spokes : counts) {
      for (const double period : {pi, 2 * pi}) {
        const auto angles = spoke_angles(spokes, SpokeOrder::fibonacci, n, period);
        ASSERT_EQ(static_cast<Index>(angles.size()), spokes);
        // Uniform: the largest gap is the mean one. Angles up to 2 pi are rounded to 4e-16 each.
        EXPECT_NEAR(largest_angle_gap(angles, period), period / static_cast<double>(spokes), 1e-14) << n << spokes;
        if (spokes < 8) continue;
        // Convergents of a continued fraction with denominator q are off by less than 1 / q^2.
        const double golden = spoke_angles(2, SpokeOrder::golden_angle, n, period)[1];
        EXPECT_LT(std::abs(angles[1] - golden), period / static_cast<double>(spokes * spokes));
      }
    }
  }
}

TEST(SpokeOrder, OtherNumbersThanFibonaccisAreRefusedWithTheirNeighbors) {
  try {
    spoke_angles(100, SpokeOrder::fibonacci, 1, pi);
    FAIL();
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("89 and 144"), std::string::npos) << error.what();
  }
  EXPECT_THROW(spoke_angles(6, SpokeOrder::fibonacci, 7, pi), ValueError);
}

TEST(SpokeOrder, LargestGapReachesAroundThePeriod) {
  const std::vector<double> angles{0.2, 3.5, 1.0, 7.0};  // modulo 3: 0.2, 0.5, 1.0, 1.0
  EXPECT_NEAR(largest_angle_gap(angles, 3), 2.2, 1e-15);
  EXPECT_EQ(largest_angle_gap(std::vector<double>{-1.0}, 3), 3);
  EXPECT_THROW(largest_angle_gap({}, 3), ValueError);
}

TEST(SpokeOrder, BadCountsAreRefused) {
  EXPECT_THROW(spoke_angles(0, SpokeOrder::uniform, 1, pi), ValueError);
  EXPECT_THROW(spoke_angles(Index{1} << 40, SpokeOrder::uniform, 1, pi), ValueError);
  EXPECT_THROW(spoke_angles(3, SpokeOrder::golden_angle, 0, pi), ValueError);
}

}  // namespace
}  // namespace whorl
