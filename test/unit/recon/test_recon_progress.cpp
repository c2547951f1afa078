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
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/recon/subspace_basis.hpp"

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
    const Reconstruction result =
        reconstruct(ctx.with(stages), measured, {.method = method, .cg_sense = {.iterations = 3}});
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

// A plan and its run have one vocabulary: what has bytes in the plan has a time in the run.
TEST(ReconProgress, StagesOfAPlanAreThoseOfItsRun) {
  const Context ctx({.threads = 2});
  Scan measured = test::make_test_scan(ctx, {.noise = 0.01});
  test::add_frame(ctx, measured, {.repetition = 1}, 0.5F);
  Array<std::complex<double>> constant(ctx, {2, 1});
  std::fill(constant.span().begin(), constant.span().end(), 1);
  const auto basis = std::make_shared<const SubspaceBasis>(basis_of_vectors(ctx, constant, 1));
  const std::vector<ReconOptions> all{
      {.method = ReconMethod::gridding, .gridding = {.combination = CombinationMethod::matched}},
      {.virtual_coils = 2,
       .cg_sense = {.iterations = 2, .lambda_search = LambdaSearchOptions{}},
       .certified_samples = 64},
      {.cg_sense = {.iterations = 2, .penalty = PenaltyKind::smoothness}, .error_bars = {.bias = true}},
      {.prewhiten = false,
       .cg_sense = {.iterations = 2},
       .regularized = {.terms = {parse_regularizer("tv:0.01,unit=largest")}}},
      {.method = ReconMethod::nlinv, .nlinv = {.steps = 2, .iterations = 2}},
      {.cg_sense = {.iterations = 2}, .subspace = basis}};
  for (const ReconOptions& options : all) {
    const ReconPlan plan = plan_reconstruction(ctx, measured, options);
    const Reconstruction made = reconstruct(ctx, measured, options);
    EXPECT_GT(plan.stage_bytes.size(), 1U);
    for (const auto& [stage, bytes] : plan.stage_bytes) {
      EXPECT_TRUE(
          std::ranges::any_of(made.stage_seconds, [&stage = stage](const auto& of) { return of.first == stage; }))
          << stage << " of option set " << &options - all.data();
    }
  }
}

// Asks for a stop in the middle of the iterations.
class Stopper : public ProgressSink {
 public:
  void begin(std::string_view, Index total) override { iterating_ = total == ReconOptions{}.cg_sense.iterations; }
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
  EXPECT_THROW(
      reconstruct(stopping, test::make_test_scan(stopping), {.prewhiten = false, .cg_sense = {.tolerance = 0}}),
      Cancelled);
}

}  // namespace
}  // namespace whorl
