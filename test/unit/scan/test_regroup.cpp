// Frames from the readouts of a scan: joined, cut, gated. The samples tell where they were before.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>

#include "support/small_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/scan/frame_options.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Each sample is (frame, sample) + coil / 8, so that its origin can be read from it.
Scan numbered_scan(const Context& ctx) {
  Scan scan = test::make_small_scan(ctx);
  scan.readout_interval_ms = 4;
  for (std::size_t f = 0; f < scan.frames.size(); ++f) {
    auto data = scan.frames[f].data.view<2>();
    for (Index c = 0; c < data.extent(0); ++c) {
      for (Index j = 0; j < data.extent(1); ++j) {
        data(c, j) = Complex(static_cast<float>(f) + static_cast<float>(c) / 8, static_cast<float>(j));
      }
    }
  }
  return scan;
}

TEST(Regroup, JoinedFramesHaveTheReadoutsInTheirOrder) {
  const Context ctx;
  const Scan given = numbered_scan(ctx);
  const Scan joined = join_frames(ctx, numbered_scan(ctx), frame_counters(std::vector<std::string>{"none"}));
  ASSERT_EQ(joined.frames.size(), 2U);
  for (std::size_t slice = 0; slice < 2; ++slice) {
    const ScanFrame& frame = joined.frames[slice];
    EXPECT_EQ(frame.index, (FrameIndex{.slice = static_cast<int>(slice)}));
    EXPECT_EQ(frame.trajectory->readout_length, 12);
    ASSERT_EQ(frame.data.shape(), (Shape{3, 180}));
    for (Index c = 0; c < 3; ++c) {
      for (Index j = 0; j < 180; ++j) {
        const Index from = static_cast<Index>(slice) * 3 + j / 60;
        EXPECT_EQ(frame.data.data()[c * 180 + j],
                  given.frames[static_cast<std::size_t>(from)].data.data()[c * 60 + j % 60]);
      }
    }
    for (Index j = 0; j < 180; ++j) {
      for (Index axis = 0; axis < 2; ++axis) {
        EXPECT_EQ(frame.trajectory->points.data()[2 * j + axis],
                  given.frames.front().trajectory->points.data()[2 * (j % 60) + axis]);
      }
    }
  }
  // Both slices have the same readouts.
  EXPECT_EQ(joined.frames[0].trajectory, joined.frames[1].trajectory);
}

TEST(Regroup, WhatIsNotJoinedStays) {
  const Context ctx;
  const Scan given = numbered_scan(ctx);
  const Scan same = join_frames(ctx, numbered_scan(ctx), frame_counters(std::vector<std::string>{"repetition"}));
  ASSERT_EQ(same.frames.size(), given.frames.size());
  EXPECT_EQ(same.notes.size(), given.notes.size());
}

TEST(Regroup, SlidingWindowOverlapsAndCountsItsTime) {
  const Context ctx;
  Scan scan = join_frames(ctx, numbered_scan(ctx), {});  // 15 readouts a slice
  const Scan whole = clone(ctx, scan);
  const Scan split = split_frames(ctx, std::move(scan), 6, 4);  // 0-5, 4-9, 8-13; readout 14 is left out
  ASSERT_EQ(split.frames.size(), 6U);
  EXPECT_DOUBLE_EQ(split.frame_interval_ms, 16);
  EXPECT_NE(split.notes.back().find("2 readouts at the end"), std::string::npos) << split.notes.back();
  for (std::size_t f = 0; f < 6; ++f) {
    EXPECT_EQ(split.frames[f].index.slice, static_cast<int>(f / 3));
    EXPECT_EQ(split.frames[f].index.repetition, static_cast<int>(f % 3));
    ASSERT_EQ(split.frames[f].data.shape(), (Shape{3, 72}));
    const Index first = static_cast<Index>(f % 3) * 4 * 12;
    for (Index c = 0; c < 3; ++c) {
      for (Index j = 0; j < 72; ++j) {
        EXPECT_EQ(split.frames[f].data.data()[c * 72 + j], whole.frames[f / 3].data.data()[c * 180 + first + j]);
      }
    }
  }
}

TEST(Regroup, SaysWhatIsWrong) {
  const Context ctx;
  EXPECT_THROW(frame_counters(std::vector<std::string>{"slice"}), ValueError);
  EXPECT_THROW(frame_counters(std::vector<std::string>{"none", "phase"}), ValueError);
  EXPECT_THROW(split_frames(ctx, numbered_scan(ctx), 6), ValueError);  // frames have 5 readouts
  EXPECT_THROW(split_frames(ctx, numbered_scan(ctx), 0), ValueError);
  Scan unknown = numbered_scan(ctx);
  auto trajectory = std::make_shared<Trajectory>(Trajectory{clone(ctx, unknown.frames[0].trajectory->points.ref()), 0});
  unknown.frames[0].trajectory = trajectory;
  EXPECT_THROW(split_frames(ctx, std::move(unknown), 2), ValueError);
  Scan moved = numbered_scan(ctx);
  moved.frames[1].geometry.position_mm[0] += 1;
  EXPECT_THROW(join_frames(ctx, std::move(moved), {}), ValueError);
  EXPECT_THROW(make_frames(ctx, numbered_scan(ctx), {.readouts = 2, .gating = {.bins = 2}}), ValueError);
}

constexpr double beats_hz = 1.25;

// Simulated once: a thousand readouts at times of their own.
Scan beating_scan(const Context& ctx) {
  static const Scan simulated = [&ctx] {
    Scan scan;
    scan.matrix = {48, 40, 1};
    scan.trajectory_kind = "radial";
    scan.readout_interval_ms = 8;
    scan.frames.emplace_back().trajectory =
        std::make_shared<Trajectory>(radial_trajectory(ctx, 1000, 96, SpokeOrder::golden_angle));
    const BeatingOptions beating{.rate_hz = beats_hz, .enhancement = 0};
    return dynamic_phantom_scan(ctx, [&](double time) { return beating_phantom(time, beating); }, std::move(scan),
                                {.coils = 4, .noise_standard_deviation = 0.02});
  }();
  return clone(ctx, simulated);
}

// 1000 readouts in 8 s: frequencies are 0.125 Hz apart, and 1.25 Hz is one of them.
TEST(SelfGating, FindsTheBeat) {
  const Context ctx;
  const Scan scan = beating_scan(ctx);
  const GatingOptions options{.bins = 8, .band = {0.5, 2.4}};
  const GatingSignal signal = gating_signal(ctx, scan, scan.frames.front(), options);
  EXPECT_DOUBLE_EQ(signal.frequency_hz, beats_hz);
  EXPECT_GT(signal.part, 0.8);
  // The area of the ellipse is that of its scale, s^2 with s = 1 - a (1 - cos)/2: within the band its first two harmonics.
  // By the correlation the signal is that, up to its sign: above 0.98 less than 20 % of its magnitude is something else.
  double area_mean = 0;
  std::vector<double> area;
  for (std::size_t i = 0; i < signal.values.size(); ++i) {
    const double time = 0.008 * static_cast<double>(i);
    area.push_back(std::cos(2 * std::numbers::pi * beats_hz * time));
    area_mean += area.back() / 1000;
  }
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < area.size(); ++i) {
    product += (area[i] - area_mean) * signal.values[i];
    square += (area[i] - area_mean) * (area[i] - area_mean);
  }
  EXPECT_GT(std::abs(product) / std::sqrt(square * 1000), 0.98);
}

// The phase is 0 at maxima, so that -pi, where frame 0 begins, is a minimum; then it grows.
TEST(SelfGating, FrameZeroBeginsAtAMinimum) {
  const Context ctx;
  const Scan scan = beating_scan(ctx);
  const GatingOptions options{.bins = 4, .band = {0.5, 2.4}};
  const GatingSignal signal = gating_signal(ctx, scan, scan.frames.front(), options);
  const std::vector<int> bins = gating_bins(signal, options);
  constexpr std::array<double, 4> cosines{-1, 1, 1, -1};  // their sign in each quarter from -pi on
  constexpr double rounding = 1e-12;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    EXPECT_GE(signal.values[i] * cosines.at(static_cast<std::size_t>(bins[i])), -rounding) << i;
  }
  // Ten beats: the frames come in turn, but where a second harmonic or noise turns the phase back for some readouts.
  int forward = 0;
  int back = 0;
  for (std::size_t i = 1; i < bins.size(); ++i) {
    if ((bins[i - 1] + 1) % 4 == bins[i]) ++forward;
    if ((bins[i] + 1) % 4 == bins[i - 1]) ++back;
  }
  EXPECT_GE(forward, 36);
  EXPECT_LE(back, 4);
}

TEST(SelfGating, BinsAreTimesOfTheCycle) {
  const Context ctx;
  const GatedScan gated = gate(ctx, beating_scan(ctx), {.bins = 5, .band = {0.5, 2.4}});
  ASSERT_EQ(gated.scan.frames.size(), 5U);
  // Readouts of a bin lie within a fifth of the cycle, up to the ends where the signal is less exact: their mean direction
  // on the circle is long. For readouts at random its length would be 0; for a fifth of the circle it is sin(pi/5)/(pi/5).
  std::vector<std::complex<double>> mean(5);
  std::vector<int> count(5);
  for (std::size_t i = 0; i < gated.bins[0].size(); ++i) {
    const auto bin = static_cast<std::size_t>(gated.bins[0][i]);
    mean[bin] += std::polar(1.0, 2 * std::numbers::pi * beats_hz * 0.008 * static_cast<double>(i));
    ++count[bin];
  }
  const double ideal = std::sin(std::numbers::pi / 5) / (std::numbers::pi / 5);
  for (std::size_t bin = 0; bin < 5; ++bin) {
    EXPECT_GT(std::abs(mean[bin]) / count[bin], 0.95 * ideal) << bin;
    EXPECT_EQ(gated.scan.frames[bin].index.phase, static_cast<int>(bin));
    EXPECT_EQ(gated.scan.frames[bin].data.extent(1), 96 * count[bin]);
  }
}

TEST(SelfGating, BinsByAmplitudeHaveEquallyManyReadouts) {
  const Context ctx;
  const GatedScan gated = gate(ctx, beating_scan(ctx), {.bins = 4, .by = GatingBy::amplitude, .band = {0.5, 2.4}});
  double last = -10;
  for (const ScanFrame& frame : gated.scan.frames) {
    EXPECT_EQ(frame.data.extent(1), 250 * 96);
    double most = -10;
    for (std::size_t i = 0; i < gated.bins[0].size(); ++i) {
      if (gated.bins[0][i] != frame.index.phase) continue;
      EXPECT_GE(gated.signals[0].values[i], last);
      most = std::max(most, gated.signals[0].values[i]);
    }
    last = most;
  }
}

// By hand: half of six readouts are closest from 0 to 0.2, so that h = 0.1.
TEST(SelfGating, SoftWeightsFallOffFromWhereTheObjectRests) {
  GatingSignal signal;
  signal.values = {5, 0.2, 0.4, 0, 0.1, -0.2};
  const std::vector<double> expected{std::exp(-0.5 * 48 * 48), 1, std::exp(-2.0), 1, 1, std::exp(-2.0)};
  const std::vector<double> weights = gating_weights(signal, 0.5);
  ASSERT_EQ(weights.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(weights[i], expected[i], 1e-12) << i;
  EXPECT_THROW(gating_weights(signal, 0), ValueError);
  EXPECT_THROW(gating_weights(signal, 1), ValueError);
}

TEST(SelfGating, SaysWhatIsWrong) {
  const Context ctx;
  Scan scan = beating_scan(ctx);
  EXPECT_THROW(gating_signal(ctx, scan, scan.frames[0], {.bins = 4, .band = {0.51, 0.52}}), ValueError);
  EXPECT_THROW(gating_signal(ctx, scan, scan.frames[0], {.bins = 4, .band = {2, 1}}), ValueError);
  scan.readout_interval_ms = 0;
  EXPECT_THROW(gating_signal(ctx, scan, scan.frames[0], {.bins = 4}), ValueError);
  // Spokes from -0.4 in steps of 0.067: 0.067 off the center of 20 x 16 pixels.
  EXPECT_THROW(gate(ctx, numbered_scan(ctx), {.bins = 2}), ValueError);
}

}  // namespace
}  // namespace whorl
