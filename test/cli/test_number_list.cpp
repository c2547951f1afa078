#include "cli/options/number_list.hpp"

#include <gtest/gtest.h>

#include "whorl/core/error.hpp"

namespace whorl::cli {
namespace {

TEST(NumberList, NumbersRangesAndSteps) {
  EXPECT_EQ(number_list("3"), (std::vector<Index>{3}));
  EXPECT_EQ(number_list("7,1,4"), (std::vector<Index>{7, 1, 4}));
  EXPECT_EQ(number_list("2:5"), (std::vector<Index>{2, 3, 4, 5}));
  EXPECT_EQ(number_list("0:10:4,9"), (std::vector<Index>{0, 4, 8, 9}));
  EXPECT_EQ(number_list("0:65534").size(), 65535U);
  // The number behind the last is none.
  EXPECT_EQ(number_list("9223372036854775807"), (std::vector<Index>{9223372036854775807}));
  EXPECT_EQ(number_list("9223372036854775800:9223372036854775807:5").size(), 2U);
}

TEST(NumberList, AnythingElseIsRefused) {
  for (const std::string text : {"", ",", "a", "-1", "1,", "5:2", "1:5:0", "1:5:-1", "1:2:3:4", "1.5", " 1", "0:65535",
                                 "99999999999999999999", "0:9223372036854775807"}) {
    EXPECT_THROW(number_list(text), ValueError) << text;
  }
}

}  // namespace
}  // namespace whorl::cli
