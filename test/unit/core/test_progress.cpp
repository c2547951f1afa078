// Stages of progress, and what a sink hears of several threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "whorl/core/context.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

class Recorder : public ProgressSink {
 public:
  void begin(std::string_view stage, Index total) override { add(std::string(stage) + "/" + std::to_string(total)); }
  void update(Index done, std::string_view detail) override { add(std::to_string(done) + std::string(detail)); }
  void end() override { add("end"); }
  std::vector<std::string> calls;

 private:
  void add(std::string call) { calls.push_back(std::move(call)); }
};

TEST(Progress, ASinkIsGivenPerCall) {
  const auto sink = std::make_shared<Recorder>();
  const Context ctx;
  {
    ProgressStage outer(ctx.with(sink), "outer", 2);  // keeps the context, which is a temporary one
    ProgressStage inner(ctx.with(sink), "inner", 1);
    inner.advance();
  }
  ProgressStage(ctx, "silent", 1).advance();
  ProgressStage(ctx.with(sink).with(std::shared_ptr<ProgressSink>()), "silent", 1).advance();
  EXPECT_EQ(sink->calls, (std::vector<std::string>{"outer/2", "inner/1", "1", "end", "end"}));
}

TEST(Progress, ProgressReachesTheSink) {
  const auto sink = std::make_shared<Recorder>();
  const Context ctx({.progress = sink});
  {
    ProgressStage stage(ctx, "work", 3);
    stage.advance(1);
    stage.advance(2, " half");
  }
  EXPECT_EQ(sink->calls, (std::vector<std::string>{"work/3", "1", "3 half", "end"}));
}

TEST(Progress, ASinkHearsOfOneThreadAtATime) {
  const auto sink = std::make_shared<Recorder>();
  const Context ctx({.progress = sink});
  {
    ProgressStage outer(ctx, "outer", 1);
    // Another context with the sink, and the writer of a file, are no different.
    std::thread([&] { ProgressStage(Context({.progress = sink}), "beside", 2).advance(); }).join();
    outer.advance();
  }
  std::thread([&] { ProgressStage(ctx, "later", 0).advance(); }).join();
  EXPECT_EQ(sink->calls, (std::vector<std::string>{"outer/1", "1", "end", "later/0", "1", "end"}));
}

// A sink without a lock, as ThreadSanitizer sees it; its stages never mix.
TEST(Progress, ThreadsShareASinkThatHasNoLock) {
  constexpr int threads = 4;
  constexpr int rounds = 500;
  const auto sink = std::make_shared<Recorder>();
  const Context ctx({.progress = sink});
  std::latch together(threads);
  std::vector<std::thread> working;
  for (int number = 0; number < threads; ++number) {
    working.emplace_back([&, name = std::string(1, static_cast<char>('a' + number))] {
      together.arrive_and_wait();
      for (int round = 0; round < rounds; ++round) {
        ProgressStage outer(ctx, name, 1);
        ProgressStage(ctx, name, 1).advance(1, name);
        outer.advance(1, name);
      }
    });
  }
  for (std::thread& thread : working) thread.join();
  // A stage within one that was silent is heard alone if the other thread has ended meanwhile.
  ASSERT_FALSE(sink->calls.empty());
  for (std::size_t i = 0; i < sink->calls.size();) {
    const std::string name = sink->calls[i].substr(0, 1);
    std::vector<std::string> expected{name + "/1", "1" + name, "end"};
    const bool is_whole = i + 1 < sink->calls.size() && sink->calls[i + 1] == name + "/1";
    if (is_whole) expected = {name + "/1", name + "/1", "1" + name, "end", "1" + name, "end"};
    const std::size_t end = std::min(i + expected.size(), sink->calls.size());
    ASSERT_EQ(std::vector<std::string>(sink->calls.begin() + static_cast<std::ptrdiff_t>(i),
                                       sink->calls.begin() + static_cast<std::ptrdiff_t>(end)),
              expected);
    i = end;
  }
}

// What begin throws ends the work, and the sink is free again.
TEST(Progress, ASinkThatThrowsHearsOfTheNextStage) {
  class Thrower : public Recorder {
   public:
    void begin(std::string_view stage, Index total) override {
      Recorder::begin(stage, total);
      if (stage == "refused") throw Error("refused");
    }
  };
  const auto sink = std::make_shared<Thrower>();
  const Context ctx({.progress = sink});
  EXPECT_THROW(ProgressStage(ctx, "refused", 1), Error);
  std::thread([&] { const ProgressStage stage(ctx, "next", 1); }).join();
  EXPECT_EQ(sink->calls, (std::vector<std::string>{"refused/1", "next/1", "end"}));
}

}  // namespace
}  // namespace whorl
