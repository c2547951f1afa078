// Frames with trajectories of their own: solved together, and on a GPU planned ahead, they are as one after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "recon/memory.hpp"
#include "support/device.hpp"
#include "support/phantom_scan.hpp"
#include "whorl/core/cancel_token.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

constexpr Index coils = 4;

// A radial trajectory, turned.
std::shared_ptr<const Trajectory> turned(const Context& ctx, Index spokes, Index readout, double angle) {
  auto trajectory = std::make_shared<Trajectory>(radial_trajectory(ctx, spokes, readout, SpokeOrder::golden_angle));
  const auto points = trajectory->points.view<2>();
  for (Index j = 0; j < trajectory->samples(); ++j) {
    const double x = points(j, 0);
    const double y = points(j, 1);
    points(j, 0) = std::cos(angle) * x - std::sin(angle) * y;
    points(j, 1) = std::sin(angle) * x + std::cos(angle) * y;
  }
  return trajectory;
}

// A series of frames, every third of them with the trajectory of the one before it, and the fourth with fewer spokes.
Scan series(Index frames, Index matrix = 48) {
  const Context ctx({.threads = 2});
  Scan scan;
  for (Index f = 0; f < frames; ++f) {
    auto trajectory = f % 3 == 2 ? scan.frames.back().trajectory
                                 : turned(ctx, f == 3 ? 50 : 60, 2 * matrix, 0.1 * static_cast<double>(f));
    if (f == 0) {
      scan = test::make_trajectory_scan(trajectory, {matrix, matrix, 1});
    } else {
      ScanFrame& frame = scan.frames.emplace_back();
      frame.trajectory = trajectory;
      frame.index.repetition = static_cast<int>(f);
    }
  }
  return phantom_scan(ctx, shepp_logan(2, PhantomContrast::modified), std::move(scan),
                      {.coils = coils, .noise_standard_deviation = 0.02});
}

bool on_gpu(const Context& ctx) { return ctx.device().kind != DeviceKind::cpu; }

// With so many frames at a time.
Reconstruction solved(const Context& ctx, const Scan& scan, const ReconOptions& options, Index together, bool ahead) {
  ReconPlan plan = plan_reconstruction(ctx, scan, options);
  recon::MemoryNeeds needs = *plan.needs;
  needs.frames = together;
  needs.plans_ahead = ahead;
  plan.needs = std::make_shared<const recon::MemoryNeeds>(needs);
  return reconstruct(ctx, clone(ctx.host(), scan), options, plan);
}

// A CPU computes the same bits. On a GPU the sums of scalar products are cut into other blocks: 6e-8 of their value each, which
// 12 iterations with a condition number of some hundreds (lambda 0.01) make 1e-5 at most.
void expect_the_same(const Context& ctx, const Reconstruction& a, const Reconstruction& b) {
  ASSERT_EQ(a.images.shape(), b.images.shape());
  if (!on_gpu(ctx)) {
    EXPECT_TRUE(std::equal(a.images.span().begin(), a.images.span().end(), b.images.span().begin()));
  }
  double largest = 0;
  double difference = 0;
  for (Index i = 0; i < a.images.size(); ++i) {
    largest = std::max<double>(largest, std::abs(a.images.data()[i]));
    difference = std::max<double>(difference, std::abs(a.images.data()[i] - b.images.data()[i]));
  }
  EXPECT_LE(difference, 1e-5 * largest);
  ASSERT_EQ(a.reports.size(), b.reports.size());
  for (std::size_t f = 0; f < a.reports.size(); ++f) EXPECT_EQ(a.reports[f].iterations, b.reports[f].iterations) << f;
}

TEST(FramesOfOwnTrajectories, TogetherAreAsOneAfterAnother) {
  const Context ctx = test::device_context();
  const Scan scan = series(14);
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 12, .lambda = 1e-2}};
  // 5 a time: groups that begin with the trajectory of the one before, and a last one of 4.
  for (const double tolerance : {0.0, 3e-2}) {
    options.cg_sense.tolerance = tolerance;
    const Reconstruction alone = solved(ctx, scan, options, 1, false);
    for (const Index together : {5, 14}) {
      expect_the_same(ctx, solved(ctx, scan, options, together, false), alone);
      if (on_gpu(ctx)) expect_the_same(ctx, solved(ctx, scan, options, together, true), alone);
    }
    if (on_gpu(ctx)) expect_the_same(ctx, solved(ctx, scan, options, 1, true), alone);
  }
}

TEST(FramesOfOwnTrajectories, OfSlicesInTurns) {
  const Context ctx = test::device_context();
  Scan scan = series(8);
  for (std::size_t f = 0; f < scan.frames.size(); ++f) scan.frames[f].index.slice = static_cast<int>(f / 2 % 2);
  const ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 6, .lambda = 1e-2}};
  const Reconstruction alone = solved(ctx, scan, options, 1, false);
  expect_the_same(ctx, solved(ctx, scan, options, 3, on_gpu(ctx)), alone);
}

// A kept plan is that of one trajectory, whichever was planned last.
TEST(FramesOfOwnTrajectories, WithKeptPlans) {
  const Context ctx = test::device_context();
  const Scan scan = series(7);
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 6, .lambda = 1e-2}};
  const Reconstruction alone = solved(ctx, scan, options, 1, false);
  options.resources.plans = std::make_shared<KeptPlans>();
  for (int run = 0; run < 2; ++run) expect_the_same(ctx, solved(ctx, scan, options, 3, on_gpu(ctx)), alone);
}

TEST(FramesOfOwnTrajectories, StopOnRequest) {
  const CancelToken token;
  const Context ctx = test::device_context().with(token);
  token.request();
  EXPECT_THROW(solved(ctx, series(6), {.prewhiten = false}, 2, on_gpu(ctx)), Cancelled);
}

// What is held: samples, trajectories, and of the frames that are solved together the plans, beside the solver's images. Blocks of memory
// are rounded up by as much as an eighth. A CPU's scan is there already, from another pool. On a GPU the next plans grow beside the solver:
// the peak depends on which of both is first, between the need of one group (half, for plans alone) and that of both.
TEST(FramesOfOwnTrajectories, TakeThePredictedMemory) {
  const Scan scan = series(24, 128);
  const ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 3, .lambda = 1e-2}};
  const Context free = test::device_context();
  double held = 0;
  if (!on_gpu(free)) {
    const Trajectory* before = nullptr;
    for (const ScanFrame& frame : scan.frames) {
      const Index points = frame.trajectory.get() == before ? 0 : frame.trajectory->points.size();
      held += static_cast<double>(frame.data.size() * 8 + points * 8);
      before = frame.trajectory.get();
    }
  }
  const recon::MemoryNeeds all = *plan_reconstruction(free, scan, options).needs;
  EXPECT_GT(all.frames, 1);
  EXPECT_EQ(all.plans_ahead, on_gpu(free));
  Index before = all.frames + 1;
  // The less there is, the fewer frames at a time; in the end nothing is planned ahead.
  for (const double share : {1.2, 0.9, 0.75}) {
    const Context ctx = free.on(free.device(), static_cast<std::size_t>(share * static_cast<double>(all.bytes)));
    const recon::MemoryNeeds needs = *plan_reconstruction(ctx, scan, options).needs;
    Scan given = clone(Context({.threads = 2}), scan);
    reconstruct(ctx, std::move(given), options);
    const double peak = held + static_cast<double>(ctx.pool().statistics().peak);
    std::printf("%.2f of the need: %td frames at a time, predicted %.2f MB, peak %.2f MB\n", share, needs.frames,
                1e-6 * static_cast<double>(needs.bytes), 1e-6 * peak);
    EXPECT_LE(needs.frames, before);
    EXPECT_LE(peak, 1.1 * static_cast<double>(needs.bytes));
    EXPECT_GE(peak, (on_gpu(ctx) ? 0.5 : 0.9) * static_cast<double>(needs.bytes));
    before = needs.frames;
  }
}

}  // namespace
}  // namespace whorl
