#include <gtest/gtest.h>

#include "cli/output/scan_facts.hpp"
#include "support/small_scan.hpp"

namespace whorl::cli {
namespace {

TEST(ScanFacts, CountsAndExtremes) {
  const Context ctx;
  Scan scan = test::make_small_scan(ctx);
  // One more frame, of another trajectory: 7 samples without readouts, with weights.
  const auto other = std::make_shared<Trajectory>();
  other->points = zeros<double>(ctx, {7, 2});
  other->points.view<2>()(3, 1) = -0.45;
  ScanFrame frame;
  frame.index.contrast = 1;
  frame.trajectory = other;
  frame.weights = std::make_shared<Array<float>>(zeros<float>(ctx, {7}));
  frame.data = zeros<std::complex<float>>(ctx, {3, 7});
  scan.frames.push_back(std::move(frame));

  const ScanFacts facts = describe_scan(scan);
  EXPECT_EQ(facts.slices, 2);
  EXPECT_EQ(facts.contrasts, 2);
  EXPECT_EQ(facts.phases, 1);
  EXPECT_EQ(facts.repetitions, 3);
  EXPECT_EQ(facts.sets, 1);
  EXPECT_EQ(facts.samples.least, 7);
  EXPECT_EQ(facts.samples.most, 60);
  EXPECT_EQ(facts.readouts.least, 0);
  EXPECT_EQ(facts.readouts.most, 5);
  EXPECT_EQ(facts.noise_samples, 40);
  EXPECT_TRUE(facts.has_weights);
  EXPECT_EQ(facts.field_of_view_mm, (std::array<double, 3>{200, 160, 4}));
  EXPECT_EQ(facts.largest_k, (std::array<double, 3>{0.4, 0.45, 0}));  // from the first spoke's start, angle 0
  // 6 frames of 60 samples, one of 7, and 40 of noise, each for 3 coils, 8 bytes.
  EXPECT_EQ(facts.data_bytes, (6U * 60 + 7 + 40) * 3 * 8);
}

TEST(ScanFacts, AnEmptyScan) {
  const ScanFacts facts = describe_scan(Scan{});
  EXPECT_EQ(facts.samples.most, 0);
  EXPECT_EQ(facts.noise_samples, 0);
  EXPECT_EQ(facts.data_bytes, 0U);
}

}  // namespace
}  // namespace whorl::cli
