#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/block_source.hpp"
#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"
#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/laps.hpp"

namespace whorl {
namespace {

TEST(Context, ThreadsDefaultToTheMachine) {
  EXPECT_GE(Context().threads(), 1);
  EXPECT_EQ(Context({.threads = 3}).threads(), 3);
  EXPECT_THROW(Context({.threads = -1}), ValueError);
}

TEST(Context, TheCpuHasNoStreams) {
  EXPECT_THROW(Context().stream(), Unsupported);
  int stream = 0;
  EXPECT_THROW(Context({.stream = &stream}), ValueError);
  EXPECT_THROW(Context({.stream = nullptr}), ValueError);  // CUDA's default stream
}

TEST(Context, CancelStopsTheNextStageAndTheNextStep) {
  const Context ctx;
  const Context copy = ctx;
  ProgressStage stage(ctx, "work", 3);
  stage.advance();
  copy.request_cancel();
  EXPECT_THROW(stage.advance(), Cancelled);
  EXPECT_THROW(ProgressStage(ctx, "more work", 1), Cancelled);
}

TEST(Context, ATokenStopsTheCallsThatItIsGivenTo) {
  const Context ctx;
  const CancelToken token;
  const Context stoppable = ctx.with(token);
  token.request();
  EXPECT_THROW(stoppable.check_cancel("work"), Cancelled);
  EXPECT_THROW(stoppable.host().check_cancel("work"), Cancelled);
  EXPECT_NO_THROW(ctx.check_cancel("work"));
  token.reset();
  EXPECT_NO_THROW(ProgressStage(stoppable, "work", 1).advance());
  EXPECT_EQ(&stoppable.pool(), &ctx.pool());
  stoppable.request_cancel();
  EXPECT_TRUE(token.requested());
  EXPECT_TRUE(Context({.cancel = token}).cancel_requested());
}

TEST(MemoryPool, BlocksAreUsedAgainAndCounted) {
  MemoryPool pool{Device{}};
  const std::byte* first = nullptr;
  {
    const auto block = pool.allocate(1000);
    first = block.get();
    EXPECT_GE(pool.statistics().in_use, 1000U);
  }
  EXPECT_EQ(pool.statistics().in_use, 0U);
  EXPECT_GE(pool.statistics().cached, 1000U);
  {
    const auto again = pool.allocate(1000);
    EXPECT_EQ(again.get(), first);
    const auto more = pool.allocate(1000);
    EXPECT_NE(more.get(), first);
  }
  EXPECT_GE(pool.statistics().peak, 2000U);
  pool.trim();
  EXPECT_EQ(pool.statistics().cached, 0U);
}

// The waste of a block stays below an eighth, and a block is a block's size itself.
TEST(MemoryPool, SizesOfBlocksAreKnown) {
  MemoryPool pool{Device{}};
  for (const std::size_t bytes : {1UL, 1000UL, 65536UL, 65537UL, 104857600UL, 33554433UL}) {
    const std::size_t block = bytes_of_block(bytes);
    EXPECT_GE(block, bytes);
    EXPECT_LT(block, bytes + std::max(bytes / 8, memory_alignment));
    EXPECT_EQ(bytes_of_block(block), block);
    const auto taken = pool.allocate(bytes);
    EXPECT_EQ(pool.statistics().in_use, block);
  }
}

TEST(MemoryPool, APeakThatRestartsIsNoLessThanWhatIsHeld) {
  MemoryPool pool{Device{}};
  const auto held = pool.allocate(1000);
  pool.allocate(5000).reset();
  EXPECT_GE(pool.statistics().peak, 6000U);
  pool.restart_peak();
  EXPECT_EQ(pool.statistics().peak, pool.statistics().in_use);
  pool.allocate(2000).reset();
  EXPECT_GE(pool.statistics().peak, 3000U);
  EXPECT_LT(pool.statistics().peak, 6000U);
}

TEST(MemoryPool, BlocksOutliveThePool) {
  Array<int> array;
  {
    const Context ctx;
    array = zeros<int>(ctx, {100});
  }
  array.span()[99] = 7;
  EXPECT_EQ(array.span()[99], 7);
}

TEST(MemoryPool, MoreThanTheMachineHasIsRefused) {
  const Context ctx;
  EXPECT_THROW(Array<double>(ctx, {Index{1} << 55}), Error);
}

TEST(MemoryPool, KeepsToItsLimit) {
  const Context ctx({.max_memory = std::size_t{8} << 20});
  EXPECT_EQ(ctx.pool().limit(), std::size_t{8} << 20);
  {
    const Array<double> array(ctx, {Index{3} << 18});
    try {
      const Array<double> more(ctx, {Index{3} << 18});
      ADD_FAILURE() << "more than the limit was taken";
    } catch (const Error& error) {
      // An image or a table has no coils.
      EXPECT_EQ(std::string(error.what()).find("coil"), std::string::npos) << error.what();
    }
  }
  // What waits for use makes room.
  EXPECT_NO_THROW(Array<double>(ctx, {Index{7} << 17}));
  EXPECT_GT(Context().pool().limit(), std::size_t{8} << 20);
}

TEST(MemoryPool, KeepsTheScratchOfWorkThatRunsAgain) {
  const Context ctx;
  const void* scratch = nullptr;
  {
    const auto kept = ctx.pool().keep_scratch_of([&] { scratch = Array<float>(ctx, {5000}).data(); });
    EXPECT_NE(static_cast<const void*>(Array<float>(ctx, {5000}).data()), scratch);
    EXPECT_GE(ctx.pool().statistics().in_use, 20000U);  // no other array may have it
    const auto before = ctx.pool().statistics();
    const auto more = ctx.pool().keep_scratch_of([&] {
      for (int i = 0; i < 3; ++i) Array<float>(ctx, {7000});
    });
    const std::size_t taken = ctx.pool().statistics().in_use - before.in_use;
    EXPECT_GE(taken, 28000U);
    EXPECT_LT(taken, 2 * 28000U);  // one block, three times
  }
  EXPECT_EQ(ctx.pool().statistics().in_use, 0U);
  Array<float> other(ctx, {5000});
  Array<float> again(ctx, {5000});
  EXPECT_TRUE(other.data() == scratch || again.data() == scratch);
}

TEST(MemoryPool, SpilledArraysAreInFiles) {
  const Context ctx = Context().on(Device{}, std::size_t{1} << 20);
  const Context spilled = ctx.spilled();
  EXPECT_EQ(spilled.device(), ctx.device());
  Array<float> large(spilled, {Index{1} << 20});
  EXPECT_EQ(ctx.pool().statistics().in_use, 0U);
  EXPECT_GE(spilled.pool().statistics().in_use, std::size_t{4} << 20);
  EXPECT_THROW(Array<float>(spilled.unspilled(), large.shape()), Error);
  fill<float>(spilled, large, 2);
  EXPECT_EQ(large.data()[large.size() - 1], 2);
  const Array<float> own(spilled.branch(nullptr, 1).unspilled(), {64});
  EXPECT_GE(ctx.pool().statistics().in_use, std::size_t{256});
  EXPECT_THROW(Array<float>(ctx.spilled("/no/such/folder"), {64}), Error);
}

TEST(MemoryPool, SpilledArraysTakeWhatRoomThereIs) {
  const Context ctx;
  constexpr std::size_t room = std::size_t{1} << 20;
  const Context spilled = ctx.spilled({}, room / 4, room);
  const auto in_memory = [&] { return ctx.pool().statistics().in_use; };
  const Shape half{Index{1} << 17};
  const Array<float> away(spilled, {Index{1} << 16});
  EXPECT_EQ(in_memory(), 0U);
  {
    const Array<float> first(spilled, half);
    EXPECT_EQ(in_memory(), room / 2);
    const Array<float> too_large(spilled, {Index{1} << 19});
    EXPECT_EQ(in_memory(), room / 2);
    const Array<float> second(spilled, half);
    const Array<float> third(spilled, half);
    EXPECT_EQ(in_memory(), room);
  }
  // Blocks that the spilled pool keeps make room for one of another size.
  const Array<float> whole(spilled, {Index{1} << 18});
  EXPECT_EQ(in_memory(), room);
  EXPECT_EQ(spilled.pool().statistics().cached, 0U);
}

TEST(MemoryPool, KeepsScratchOfBothPools) {
  const Context ctx;
  const Context spilled = ctx.spilled();
  const void* scratch = nullptr;
  const void* own = nullptr;
  const auto kept = spilled.pool().keep_scratch_of([&] {
    scratch = Array<float>(spilled, {5000}).data();
    own = Array<float>(ctx, {5000}).data();
  });
  EXPECT_NE(static_cast<const void*>(Array<float>(spilled, {5000}).data()), scratch);
  EXPECT_NE(static_cast<const void*>(Array<float>(ctx, {5000}).data()), own);
}

TEST(Context, HasTheSameHostAndFlagEverywhere) {
  const Context ctx({.threads = 3});
  const Context host = ctx.host();
  const Context other = ctx.on(Device{});
  EXPECT_EQ(&host.pool(), &ctx.pool());
  EXPECT_EQ(&other.pool(), &ctx.pool());
  EXPECT_EQ(other.threads(), 3);
  other.request_cancel();
  EXPECT_TRUE(ctx.cancel_requested());
  EXPECT_NO_THROW(ctx.synchronize());
}

TEST(Context, HasAPoolOfItsOwnForALimit) {
  const Context ctx;
  const Context small = ctx.on(Device{}, std::size_t{1} << 20);
  EXPECT_NE(&small.pool(), &ctx.pool());
  EXPECT_EQ(&small.host().pool(), &small.pool());
  EXPECT_EQ(small.pool().limit(), std::size_t{1} << 20);
  ctx.request_cancel();
  EXPECT_TRUE(small.cancel_requested());
}

TEST(Laps, AreTheTimesBetweenMarks) {
  Laps laps{Context()};
  EXPECT_TRUE(laps.milliseconds().empty());
  for (int i = 0; i < 3; ++i) laps.mark();
  const auto ms = laps.milliseconds();
  ASSERT_EQ(ms.size(), 2U);
  for (const double lap : ms) EXPECT_GE(lap, 0);
  EXPECT_TRUE(laps.milliseconds().empty());
}

TEST(Device, Parse) {
  EXPECT_EQ(parse_device("cpu"), Device{});
  EXPECT_NO_THROW(require_device(parse_device("auto")));
  EXPECT_EQ(to_string(Device{DeviceKind::cuda, 1}), "cuda:1");
  EXPECT_THROW(parse_device("cuda:99"), DeviceError);
  EXPECT_THROW(parse_device("tpu"), ValueError);
}

// A house with one kernel, whose slot is filled when it is first called.
std::string_view fill_house(DeviceKind device);
kernels::KernelOf<int(const Context&, int), fill_house> thrice("thrice");
int times_filled = 0;
std::string_view fill_house(DeviceKind device) {
  if (device != DeviceKind::cpu) return "the house has no such code";
  ++times_filled;
  thrice.set(DeviceKind::cpu, [](const Context&, int value) { return 3 * value; });
  return {};
}

TEST(Kernel, AnEmptySlotAsksItsHouse) {
  const Context ctx;
  EXPECT_EQ(times_filled, 0);
  EXPECT_EQ(thrice(ctx, 14), 42);
  EXPECT_EQ(thrice(ctx, 5), 15);
  EXPECT_EQ(times_filled, 1);
}

// Every library has an object of its own for a kernel; they share the slots.
TEST(Kernel, IsOneForAllObjectsOfItsNameAndSignature) {
  const Context ctx;
  kernels::KernelOf<int(const Context&, int), fill_house> again("thrice");
  EXPECT_EQ(again(ctx, 7), 21);
  kernels::KernelOf<double(const Context&, double), fill_house> other("thrice");
  EXPECT_FALSE(other.is_for(DeviceKind::cpu));
}

TEST(Kernel, TwoOfOneNameAndSignatureAreRefused) {
  kernels::CoreKernel<int(const Context&, int)> first("of two");
  kernels::CoreKernel<int(const Context&, int)> second("of two");
  first.set(DeviceKind::cpu, [](const Context&, int value) { return value; });
  EXPECT_THROW(second.set(DeviceKind::cpu, [](const Context&, int value) { return -value; }), Error);
}

TEST(Kernel, SaysWhyItsHouseHasNone) {
  kernels::KernelOf<int(DeviceKind), fill_house> question("question");
  try {
    question(DeviceKind::cuda);
    FAIL() << "expected an error";
  } catch (const Unsupported& error) {
    EXPECT_STREQ(error.what(), "question: not available on cuda:0: the house has no such code");
  }
}

TEST(Kernel, AMissingSlotIsNamed) {
  const Context ctx;
  kernels::CoreKernel<int(const Context&, int)> twice("twice");
  EXPECT_THROW(twice(ctx, 1), Unsupported);
  twice.set(DeviceKind::cpu, [](const Context&, int value) { return 2 * value; });
  EXPECT_EQ(twice(ctx, 21), 42);
}

}  // namespace
}  // namespace whorl
