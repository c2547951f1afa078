#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rank_threads.hpp"
#include "whorl/comm/agree.hpp"

namespace whorl {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Agree, AllFailWithTheMessageOfTheOneThatFailed) {
  const auto failures = test::run_ranks(3, [](Communicator& ranks) {
    agree(ranks, [&] {
      if (ranks.rank() == 2) throw IoError("'scan.h5' is damaged");
    });
    FAIL() << "rank " << ranks.rank() << " went on";
  });
  for (const std::string& failure : failures) {
    EXPECT_THAT(failure, StartsWith("rank 2 on "));
    EXPECT_THAT(failure, HasSubstr(": 'scan.h5' is damaged"));
  }
}

TEST(Agree, AFailureOfAllIsNamedOnce) {
  const auto failures =
      test::run_ranks(3, [](Communicator& ranks) { agree(ranks, [] { throw IoError("no such file"); }); });
  EXPECT_EQ(failures, std::vector<std::string>(3, "no such file"));
}

TEST(Agree, AFailureSaysMoreThanTheEndThatItCaused) {
  const auto failures = test::run_ranks(3, [](Communicator& ranks) {
    agree(ranks, [&] {
      if (ranks.rank() == 1) throw ValueError("lambda is negative");
      throw Cancelled("stopped on request");
    });
  });
  for (const std::string& failure : failures) EXPECT_THAT(failure, HasSubstr("lambda is negative"));
}

TEST(Agree, AFailureOfASmallerGroupReachesAll) {
  const auto failures = test::run_ranks(4, [](Communicator& ranks) {
    const auto team = ranks.split(ranks.rank() / 2);
    agree(ranks, [&] {
      agree_within(*team, [&] {
        if (ranks.rank() == 3) throw ShapeError("wrong shape");
      });
      EXPECT_LT(ranks.rank(), 2);
    });
  });
  for (const std::string& failure : failures) {
    EXPECT_THAT(failure, StartsWith("rank 3 on "));
    EXPECT_THAT(failure, HasSubstr("wrong shape"));
  }
}

TEST(Agree, WhatAllKnowPassesWithoutAnotherAgreement) {
  const auto failures = test::run_ranks(
      2, [](Communicator& ranks) { agree(ranks, [&] { agree(ranks, [&] { throw Cancelled("stopped"); }); }); });
  EXPECT_EQ(failures, std::vector<std::string>(2, "stopped"));
}

TEST(Agree, OneRankKeepsItsExceptions) {
  EXPECT_THROW(agree(*alone(), [] { throw ShapeError("wrong"); }), ShapeError);
}

}  // namespace
}  // namespace whorl
