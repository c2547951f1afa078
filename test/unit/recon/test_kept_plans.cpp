// Plans that one reconstruction leaves to the next.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "recon/encoding/kept_plan.hpp"
#include "support/device.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/recon/estimate_coil_maps.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

bool planned(const Reconstruction& made) {
  return std::any_of(made.stage_seconds.begin(), made.stage_seconds.end(),
                     [](const auto& stage) { return stage.first == "plan"; });
}

void expect_same_bits(const Reconstruction& a, const Reconstruction& b) {
  ASSERT_EQ(a.images.shape(), b.images.shape());
  EXPECT_TRUE(std::equal(a.images.span().begin(), a.images.span().end(), b.images.span().begin()));
}

TEST(KeptPlans, ServeScansOfTheSameTrajectory) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 4}};
  const Scan scan = test::make_test_scan(host);
  const Scan again = test::make_test_scan(host);  // an equal trajectory, which is another object
  const Scan other = test::make_test_scan(host, {.spokes = 60});
  const Reconstruction alone = reconstruct(ctx, scan, options);
  const Reconstruction alone_other = reconstruct(ctx, other, options);

  options.resources.plans = std::make_shared<KeptPlans>();
  EXPECT_TRUE(planned(reconstruct(ctx, scan, options)));
  const Reconstruction second = reconstruct(ctx, again, options);
  EXPECT_FALSE(planned(second));
  expect_same_bits(second, alone);
  const Reconstruction third = reconstruct(ctx, other, options);
  EXPECT_TRUE(planned(third));
  expect_same_bits(third, alone_other);
  // Other options, coils and methods have another plan.
  options.nufft.tolerance = 3e-4;
  EXPECT_TRUE(planned(reconstruct(ctx, other, options)));
  options.virtual_coils = 2;
  EXPECT_TRUE(planned(reconstruct(ctx, other, options)));
  EXPECT_FALSE(planned(reconstruct(ctx, other, options)));
}

// The maps of later scans are not looked at.
TEST(KeptPlans, KeepMapsWhereTheyAreAskedFor) {
  const Context ctx = test::device_context();
  const Context host = ctx.host();
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 4}};
  Array<std::complex<float>> maps = estimate_coil_maps(ctx, test::make_test_scan(host), options).maps;
  maps.reshape(maps.shape().tail());
  options.coil_maps = CoilMapMethod::file;
  const auto scan_with = [&](Array<std::complex<float>> given) {
    Scan scan = test::make_test_scan(host);
    scan.coil_maps = std::move(given);
    return scan;
  };
  const Reconstruction alone = reconstruct(ctx, scan_with(clone(host, maps.ref())), options);

  options.resources.plans = std::make_shared<KeptPlans>();
  options.resources.plans->plan().maps.emplace();
  for (const bool first : {true, false}) {
    auto given = first ? clone(host, maps.ref()) : zeros<std::complex<float>>(host, maps.shape());
    expect_same_bits(reconstruct(ctx, scan_with(std::move(given)), options), alone);
  }
}

// The kept plan is a part of the prediction from the beginning, and the plan of another scan is gone before the work. Each
// reconstruction has a pool of its own: the plan stays in that of the one that made it.
TEST(KeptPlans, AreInThePredictedMemory) {
  const Context maker;
  ReconOptions options{.prewhiten = false, .cg_sense = {.iterations = 2}};
  options.resources.plans = std::make_shared<KeptPlans>();
  std::vector<Context> before;
  const auto kept = [&] {
    std::size_t bytes = 0;
    for (const Context& ctx : before) bytes += ctx.pool().statistics().in_use;
    return static_cast<double>(bytes);
  };
  for (const Index spokes : {300, 300, 280}) {
    Scan scan = test::make_test_scan(maker, {.coils = 8, .spokes = spokes});
    const Context ctx = test::device_context();
    const bool on_host = ctx.device().kind == DeviceKind::cpu;
    const ScanFrame& frame = scan.frames.front();
    const Index given = frame.data.size() * 8 + frame.trajectory->points.size() * 8;
    const double held = on_host ? static_cast<double>(given) : 0.0;
    const auto predicted = static_cast<double>(reconstruction_memory(ctx, scan, options));
    reconstruct(ctx, std::move(scan), options);
    // As in test_memory.cpp: blocks are rounded up.
    const auto peak = static_cast<double>(ctx.pool().statistics().peak);
    EXPECT_LE(held + kept() + peak, 1.1 * predicted) << spokes << " " << before.size();
    EXPECT_EQ(kept() > 0, before.size() == 1);
    before.push_back(ctx);
  }
}

}  // namespace
}  // namespace whorl
