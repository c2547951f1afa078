// What a reconstruction tells a progress sink, and how it ends when it is asked to.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "unit/recon/test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/progress.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

// What each stage did: its steps and its total, and the stages in it.
class Stages : public ProgressSink {
 public:
  struct Stage {
    std::string name;
    Index total;
    Index done = 0;
    std::size_t depth;
  };

  void begin(std::string_view stage, Index total) override {
    open_.push_back(all.size());
    all.push_back({std::string(stage), total, 0, open_.size()});
  }
  void update(Index done, std::string_view) override { all[open_.back()].done = done; }
  void end() override { open_.pop_back(); }
  bool ended() const { return open_.empty(); }
  std::vector<Stage> all;

 private:
  std::vector<std::size_t> open_;
};

TEST(ReconProgress, EveryPartIsAStageWithATotal) {
  const Context ctx({.threads = 2});
  for (const ReconMethod method : {ReconMethod::gridding, ReconMethod::cg_sense}) {
    const auto stages = std::make_shared<Stages>();
    const Scan measured = test::make_test_scan(ctx);
    const Reconstruction result = reconstruct(ctx.with(stages), measured, {.method = method, .iterations = 3});
    ASSERT_FALSE(stages->all.empty());
    EXPECT_TRUE(stages->ended());
    EXPECT_EQ(stages->all.front().name, "reconstruction");
    EXPECT_EQ(stages->all.front().total, static_cast<Index>(measured.frames.size()));
    for (const Stages::Stage& stage : stages->all) {
      EXPECT_EQ(stage.depth == 1, &stage == stages->all.data()) << stage.name;
      EXPECT_GT(stage.total, 0) << stage.name;
      EXPECT_LE(stage.done, stage.total) << stage.name;
      EXPECT_GT(stage.done, 0) << stage.name;
    }
    EXPECT_EQ(stages->all.front().done, stages->all.front().total);
    // What has a time has been a stage.
    for (const auto& [name, seconds] : result.stage_seconds) {
      EXPECT_TRUE(std::any_of(stages->all.begin(), stages->all.end(), [&name = name](const Stages::Stage& stage) {
        return stage.name == name;
      })) << name;
    }
  }
}

// Asks for a stop in the middle of the iterations.
class Stopper : public ProgressSink {
 public:
  void begin(std::string_view, Index total) override { iterating_ = total == ReconOptions{}.iterations; }
  void update(Index done, std::string_view) override {
    if (iterating_ && done == 3) context->request_cancel();
  }
  void end() override {}
  const Context* context = nullptr;

 private:
  bool iterating_ = false;
};

TEST(ReconProgress, StopsBetweenIterationsOnRequest) {
  const auto stopper = std::make_shared<Stopper>();
  const Context stopping({.threads = 2, .progress = stopper});
  stopper->context = &stopping;
  EXPECT_THROW(reconstruct(stopping, test::make_test_scan(stopping), {.prewhiten = false, .tolerance = 0}), Cancelled);
}

}  // namespace
}  // namespace whorl
