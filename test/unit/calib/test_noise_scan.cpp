#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/scan/prepare.hpp"
#include "whorl/scan/scan.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Sample = std::complex<float>;

// Noise of variance 1 in three coils, and data with such noise that fall from 1e4 in the middle of k-space.
class NoiseScan : public testing::Test {
 protected:
  static constexpr Index coils = 3;

  Array<Sample> noise(Index samples) const {
    Array<Sample> made(ctx, {coils, samples});
    fill_random_normal<float>(made, 5);
    return made;
  }

  Array<Sample> data() const {
    Array<Sample> made = noise(trajectory.samples());
    const auto k = trajectory.points.view<2>();
    for (Index c = 0; c < coils; ++c) {
      for (Index j = 0; j < trajectory.samples(); ++j) {
        const double signal = 1e4 * std::exp(-100 * (k(j, 0) * k(j, 0) + k(j, 1) * k(j, 1)));
        made.slice(c).data()[j] += std::polar(static_cast<float>(signal), static_cast<float>(c));
      }
    }
    return made;
  }

  std::string doubt(Index samples, const std::function<void(Index, Index, Sample&)>& change,
                    std::optional<double> scale = 1) const {
    Array<Sample> made = noise(samples);
    for (Index c = 0; c < coils; ++c) {
      for (Index j = 0; j < samples; ++j) change(c, j, made.slice(c).data()[j]);
    }
    return doubt_about_noise<float>(ctx, made, scale, data());
  }

  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, 50, 64, SpokeOrder::golden_angle);
};

TEST_F(NoiseScan, NoiseIsTaken) {
  EXPECT_EQ(doubt(15, [](Index, Index, Sample&) {}), "");
  EXPECT_EQ(doubt(5000, [](Index, Index, Sample&) {}), "");
  // Coils of very different gain, and a noise scan of another bandwidth.
  EXPECT_EQ(doubt(500, [](Index c, Index, Sample& n) { n *= c == 1 ? 0.1F : 1; }), "");
  EXPECT_EQ(doubt(
                500, [](Index, Index, Sample& n) { n *= 10; }, 0.01),
            "");
}

TEST_F(NoiseScan, WhatIsNoNoiseIsSaid) {
  const auto expect_doubt = [&](Index samples, const std::string& why, const auto& change) {
    EXPECT_NE(doubt(samples, change).find(why), std::string::npos) << why << ": " << doubt(samples, change);
  };
  expect_doubt(14, "14 samples for 3 coils, expected 15", [](Index, Index, Sample&) {});
  expect_doubt(500, "coil 0 has mostly zeros", [](Index, Index, Sample& n) { n = 0; });
  expect_doubt(500, "coil 1 has mostly zeros", [](Index c, Index, Sample& n) { n *= c == 1 ? 0 : 1; });
  expect_doubt(500, "not Gaussian", [](Index, Index j, Sample& n) { n *= j == 77 ? 1e4F : 1; });
  expect_doubt(500, "not Gaussian", [](Index, Index j, Sample& n) { n *= j % 4 == 0 ? 3.0F : 0.3F; });
  expect_doubt(500, "rounding", [](Index, Index, Sample& n) { n *= 1e-5F; });
  expect_doubt(500, "more power than the data", [](Index, Index, Sample& n) { n *= 1e3F; });
  expect_doubt(500, "neighbors predict", [](Index c, Index j, Sample& n) {
    n = n * 0.05F + std::polar(1.0F, 0.1F * static_cast<float>(j * (c + 1)));
  });
  const Array<Sample> first = noise(500);
  expect_doubt(500, "copies", [&](Index c, Index j, Sample& n) { n = c == 2 ? 2.0F * first.data()[j] : n; });
}

// Nothing tells how strong noise of an unknown bandwidth is in the data.
TEST_F(NoiseScan, PowerIsNotJudgedWithoutDwellTimes) {
  EXPECT_EQ(dwell_scale(4, 0), std::nullopt);
  EXPECT_EQ(dwell_scale(0, 4), std::nullopt);
  EXPECT_EQ(dwell_scale(10, 2.5), 4);
  const auto louder = [](Index, Index, Sample& n) { n *= 1e3F; };
  EXPECT_NE(doubt(500, louder, 1), "");
  EXPECT_EQ(doubt(500, louder, std::nullopt), "");
}

// A receiver's filter that passes 0.65 of the band leaves noise that its neighbors predict to 88 %, and no signal.
TEST_F(NoiseScan, NoiseOfAFilterIsTaken) {
  constexpr Index taps = 64;
  Array<Sample> white = noise(2000 + 2 * taps);
  Array<Sample> filtered = zeros<Sample>(ctx, {coils, 2000});
  for (Index c = 0; c < coils; ++c) {
    for (Index j = 0; j < 2000; ++j) {
      for (Index tap = -taps; tap <= taps; ++tap) {
        // With Hann's window.
        const double turn = std::numbers::pi * static_cast<double>(tap);
        const double window = 0.5 * (1 + std::cos(turn / taps));
        const double sinc = tap == 0 ? 0.65 : std::sin(0.65 * turn) / turn;
        filtered.slice(c).data()[j] += static_cast<float>(window * sinc) * white.slice(c).data()[j + taps + tap];
      }
    }
  }
  EXPECT_EQ(doubt_about_noise<float>(ctx, filtered, 1, data()), "");
}

// Coils are judged by 16 at most together; what one of many has is found.
TEST_F(NoiseScan, OneOfManyCoilsHasSignal) {
  constexpr Index many = 40;
  Array<Sample> made(ctx, {many, 1000});
  Array<Sample> of_data(ctx, {many, 1000});
  fill_random_normal<float>(made, 7);
  fill_random_normal<float>(of_data, 8);
  EXPECT_EQ(doubt_about_noise<float>(ctx, made, 1, of_data), "");
  for (Index j = 0; j < 1000; ++j) {
    Sample& n = made.slice(30).data()[j];
    n = 0.05F * n + std::polar(1.0F, 0.1F * static_cast<float>(j));
  }
  const std::string why = doubt_about_noise<float>(ctx, made, 1, of_data);
  EXPECT_EQ(why.find("coil 30 has samples that their neighbors predict"), 0) << why;
}

TEST_F(NoiseScan, ShapesAreChecked) {
  const Array<Sample> of_data = data();
  EXPECT_THROW(doubt_about_noise<float>(ctx, zeros<Sample>(ctx, {300}), 1, of_data), ShapeError);
  const Array<Sample> of_more = zeros<Sample>(ctx, {coils + 1, 300});
  EXPECT_THROW(doubt_about_noise<float>(ctx, of_more, 1, of_data), ShapeError);
}

// A reconstruction goes on by the edge of k-space.
TEST_F(NoiseScan, WrongOnesAreLeftOutOfAScan) {
  Scan scan;
  scan.coils = coils;
  ScanFrame frame;
  frame.trajectory = std::make_shared<const Trajectory>(Trajectory{clone(ctx, trajectory.points.ref()), 64});
  frame.data = data();
  scan.frames.push_back(std::move(frame));
  Notes notes;
  scan.noise = noise(500);
  leave_out_wrong_noise(ctx, scan, notes);
  EXPECT_EQ(scan.noise.size(), coils * 500);
  EXPECT_TRUE(notes.empty());

  scan.noise = zeros<Sample>(ctx, {coils, 500});
  leave_out_wrong_noise(ctx, scan, notes);
  EXPECT_EQ(scan.noise.size(), 0);
  ASSERT_EQ(notes.size(), 1);
  EXPECT_TRUE(notes.front().is_doubt());
  const NoiseCovariance covariance = scan_noise(ctx, scan);
  EXPECT_TRUE(covariance.measured);
  // A tenth of 3200 samples: a standard deviation of 6 %.
  EXPECT_NEAR(covariance.matrix.data()[0].real(), 1, 0.3);
}

}  // namespace
}  // namespace whorl
