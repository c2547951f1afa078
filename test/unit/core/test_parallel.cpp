// Loops over rows of images, blocks of samples and parts of files.
#include <gtest/gtest.h>

#include <atomic>

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

}  // namespace
}  // namespace whorl
