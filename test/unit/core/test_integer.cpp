#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "whorl/core/integer.hpp"

namespace whorl {
namespace {

TEST(Integer, QuotientsAreRoundedUp) {
  EXPECT_EQ(divide_up(0, 4), 0);
  EXPECT_EQ(divide_up(1, 4), 1);
  EXPECT_EQ(divide_up(4, 4), 1);
  EXPECT_EQ(divide_up(5, 4), 2);
  EXPECT_EQ(divide_up(std::int64_t{1} << 40, 3), 366503875926);  // 2^40 = 3 * 366503875925 + 1
}

TEST(Integer, MultiplesAreTheNextOnes) {
  EXPECT_EQ(round_up(0, 12), 0);
  EXPECT_EQ(round_up(1, 12), 12);
  EXPECT_EQ(round_up(12, 12), 12);
  EXPECT_EQ(round_up(13, 12), 24);
}

// The wider of the two types: a count of 64 bits is not cut to the 32 bits of the size.
TEST(Integer, TheResultHasTheWiderType) {
  static_assert(std::is_same_v<decltype(divide_up(std::int64_t{}, int{})), std::int64_t>);
  static_assert(std::is_same_v<decltype(round_up(int{}, std::size_t{})), std::size_t>);
  EXPECT_EQ(round_up(std::int64_t{1} << 33 | 1, 8), (std::int64_t{1} << 33) + 8);
}

}  // namespace
}  // namespace whorl
