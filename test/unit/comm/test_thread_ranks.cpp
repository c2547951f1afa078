#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "rank_threads.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

const std::vector<std::string> no_failure(3);

TEST(ThreadRanks, BroadcastsFromAnyRoot) {
  EXPECT_EQ(test::run_ranks(3,
                            [](Communicator& ranks) {
                              for (int root = 0; root < 3; ++root) {
                                std::vector<float> values(5, static_cast<float>(ranks.rank()));
                                ranks.broadcast(std::as_writable_bytes(std::span(values)), root);
                                EXPECT_EQ(values, std::vector<float>(5, static_cast<float>(root)));
                              }
                            }),
            no_failure);
}

TEST(ThreadRanks, GathersUnequalLengths) {
  EXPECT_EQ(test::run_ranks(3,
                            [](Communicator& ranks) {
                              const std::string own(static_cast<std::size_t>(2 * ranks.rank()), 'a');
                              const auto all = ranks.gather(std::as_bytes(std::span(own)), 1);
                              ASSERT_EQ(all.size(), ranks.rank() == 1 ? 3U : 0U);
                              for (std::size_t from = 0; from < all.size(); ++from)
                                EXPECT_EQ(all[from].size(), 2 * from);
                            }),
            no_failure);
}

TEST(ThreadRanks, ScattersUnequalLengths) {
  EXPECT_EQ(test::run_ranks(3,
                            [](Communicator& ranks) {
                              const std::vector<std::string> all{"", "b", "cc"};
                              std::vector<std::span<const std::byte>> parts;
                              for (const std::string& text : all) parts.push_back(std::as_bytes(std::span(text)));
                              if (ranks.rank() != 1) parts.clear();
                              std::string own(all[static_cast<std::size_t>(ranks.rank())].size(), '?');
                              ranks.scatter(parts, std::as_writable_bytes(std::span(own)), 1);
                              EXPECT_EQ(own, all[static_cast<std::size_t>(ranks.rank())]);
                            }),
            no_failure);
}

// Small whole numbers add up without rounding.
TEST(ThreadRanks, AddsArraysOfAnyLength) {
  for (const Index length : {1, 2, 3, 1000}) {
    EXPECT_EQ(test::run_ranks(3,
                              [length](Communicator& ranks) {
                                const Context ctx;
                                Array<Complex> array(ctx, {length});
                                for (Index i = 0; i < length; ++i) {
                                  array.data()[i] = {static_cast<float>(i), static_cast<float>(ranks.rank())};
                                }
                                ranks.sum(ctx, array, 2);
                                if (ranks.rank() != 2) return;
                                for (Index i = 0; i < length; ++i) {
                                  EXPECT_EQ(array.data()[i], Complex(3 * static_cast<float>(i), 0 + 1 + 2));
                                }
                              }),
              no_failure);
  }
}

TEST(ThreadRanks, SplitsAgainAndAgain) {
  const auto failures = test::run_ranks(5, [](Communicator& ranks) {
    const auto halves = ranks.split(ranks.rank() % 2);
    EXPECT_EQ(halves->size(), ranks.rank() % 2 == 0 ? 3 : 2);
    EXPECT_EQ(halves->rank(), ranks.rank() / 2);
    const auto others = ranks.split(ranks.rank() < 2 ? 7 : 8);
    EXPECT_EQ(others->size(), ranks.rank() < 2 ? 2 : 3);
    std::vector<float> one(1, 1);
    halves->sum(one, 0);
    if (halves->rank() == 0) {
      EXPECT_EQ(one[0], static_cast<float>(halves->size()));
    }
  });
  EXPECT_EQ(failures, std::vector<std::string>(5));
}

// A rank that gives up does not leave the others waiting.
TEST(ThreadRanks, AbortFailsTheOthersCalls) {
  const auto failures = test::run_ranks(3, [](Communicator& ranks) {
    if (ranks.rank() == 1) return ranks.abort(1);
    std::vector<float> values(4);
    ranks.sum(values, 0);
  });
  EXPECT_EQ(failures[1], "");
  for (const std::size_t other : {0U, 2U}) EXPECT_EQ(failures[other], "another thread of this work failed");
}

TEST(ThreadRanks, AGroupOfOneIsAlone) {
  const auto self = alone();
  std::vector<float> values{3};
  self->sum(values, 0);
  EXPECT_EQ(values[0], 3);
  EXPECT_EQ(self->gather(std::as_bytes(std::span(values)), 0).size(), 1U);
  EXPECT_EQ(self->split(4)->size(), 1);
}

}  // namespace
}  // namespace whorl
