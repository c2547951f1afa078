// Loops over rows of images, blocks of samples and parts of files.
#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <set>
#include <vector>

#include "core/parallel.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(ParallelLoop, LeavesOutTheRestWhenAskedToStop) {
  const Context ctx({.threads = 2});
  std::atomic<int> calls{0};
  const auto body = [&](Index /*i*/) {
    if (++calls == 10) ctx.request_cancel();
  };
  EXPECT_THROW(detail::parallel_for(ctx, "loop", 0, 1000, body), Cancelled);
  // One that the other thread had begun.
  EXPECT_LE(calls, 11);
}

TEST(ParallelLoop, AnErrorComesFirst) {
  const Context ctx({.threads = 2});
  const auto body = [&](Index i) {
    if (i != 3) return;
    ctx.request_cancel();
    throw ValueError("three");
  };
  EXPECT_THROW(detail::parallel_for(ctx, "loop", 0, 10, body), ValueError);
}

TEST(ParallelLoop, TheErrorOfTheSmallestTurnIsThrown) {
  const Context ctx({.threads = 4});
  for (int round = 0; round < 50; ++round) {
    const auto body = [](Index i) {
      if (i == 7 || i == 8) throw ValueError(i == 7 ? "seven" : "eight");
    };
    try {
      detail::parallel_for(ctx, "loop", 0, 9, body);
      FAIL();
    } catch (const ValueError& error) {
      EXPECT_STREQ(error.what(), "seven");
    }
  }
}

TEST(ParallelLoop, ThreadsWithMemoryOfTheirOwnShareTheTurns) {
  const Context ctx({.threads = 3});
  std::atomic<int> threads{0};
  std::vector<int> taken(1000);
  detail::parallel_threads(ctx, ctx.threads(), std::ssize(taken), [&](const auto& turns) {
    ++threads;
    turns([&](Index i) { ++taken[static_cast<std::size_t>(i)]; });
  });
  EXPECT_LE(threads, 3);
  EXPECT_EQ(std::set<int>(taken.begin(), taken.end()), std::set<int>{1});
}

// Memory that ends where a thread makes what it needs, and in a turn: std::terminate without the library's care.
TEST(ParallelLoop, MemoryThatEndsInAThreadIsAnError) {
  const Context ctx({.threads = 4});
  std::atomic<int> number{0};
  const auto fail_first = [&](const auto& turns) {
    if (number++ == 0) throw std::bad_alloc();
    turns([](Index) {});
  };
  EXPECT_THROW(detail::parallel_threads(ctx, ctx.threads(), 100, fail_first), std::bad_alloc);
  const auto fail_later = [](const auto& turns) {
    turns([](Index i) {
      if (i == 50) throw std::bad_alloc();
    });
  };
  EXPECT_THROW(detail::parallel_threads(ctx, ctx.threads(), 100, fail_later), std::bad_alloc);
}

}  // namespace
}  // namespace whorl
