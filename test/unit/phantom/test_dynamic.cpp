// Phantoms that change: each readout is that of its own time.
#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/phantom/dynamic.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

TEST(DynamicPhantom, EachReadoutIsMeasuredAtItsTime) {
  const Context ctx;
  Scan scan;
  scan.matrix = {24, 20, 1};
  scan.readout_interval_ms = 50;
  for (int f = 0; f < 2; ++f) {
    scan.frames.emplace_back().trajectory =
        std::make_shared<Trajectory>(radial_trajectory(ctx, 3, 16, SpokeOrder::golden_angle));
    scan.frames.back().index.repetition = f;
  }
  const Scan measured =
      dynamic_phantom_scan(ctx, [](double time) { return beating_phantom(time); }, std::move(scan), {.coils = 0});
  for (Index readout = 0; readout < 6; ++readout) {
    const ScanFrame& frame = measured.frames[static_cast<std::size_t>(readout / 3)];
    const Index first = readout % 3 * 16;
    const ArrayRef<const double> points(frame.trajectory->points.data() + first * 2, {16, 2});
    const auto expected =
        phantom_samples(ctx, beating_phantom(0.05 * static_cast<double>(readout)), measured.matrix, points);
    for (Index i = 0; i < 16; ++i) {
      // One rounding to float, of values of at most 10.
      EXPECT_LT(std::abs(std::complex<double>(frame.data.data()[first + i]) - expected.data()[i]), 1e-5);
    }
  }
}

TEST(DynamicPhantom, BeatsAndTakesUpTheAgent) {
  const BeatingOptions options{.rate_hz = 2, .stroke = 0.5, .arrival_s = 1, .peak_s = 0.5, .enhancement = 0.6};
  EXPECT_EQ(contrast_curve(0.9, options), 0);
  EXPECT_DOUBLE_EQ(contrast_curve(1.5, options), 0.6);
  const auto axis = [&](double time) {
    return std::get<Solid>(beating_phantom(time, options).regions[3].figure).half_axes[0];
  };
  EXPECT_DOUBLE_EQ(axis(0), axis(0.5));
  EXPECT_NEAR(axis(0.25), axis(0) / 2, 1e-15);
  EXPECT_THROW(beating_phantom(0, {.stroke = 1}), ValueError);
}

TEST(DynamicPhantom, T2MapIsThatOfTheDecay) {
  const Context ctx;
  const std::array<Index, 3> matrix{64, 56, 1};
  const Array<float> early = rasterize<float>(ctx, t2_phantom(0.01), matrix, 1);
  const Array<float> late = rasterize<float>(ctx, t2_phantom(0.05), matrix, 1);
  const Array<float> map = t2_phantom_map(ctx, matrix);
  int inside = 0;
  for (Index i = 0; i < map.size(); ++i) {
    if (map.data()[i] == 0) {
      EXPECT_NEAR(early.data()[i], 0, 1e-6);
      continue;
    }
    ++inside;
    const double t2 = 0.04 / std::log(early.data()[i] / late.data()[i]);
    EXPECT_NEAR(t2, map.data()[i], 1e-4 * t2);  // float, of a logarithm of at least 0.2
  }
  EXPECT_GT(inside, 1500);
  EXPECT_THROW(t2_phantom(-1), ValueError);
}

}  // namespace
}  // namespace whorl
