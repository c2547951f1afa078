// Gradient delays that the data do not bear out are said to be in doubt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/correct/estimate_delays.hpp"
#include "whorl/correct/undo_delays.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/trajectory/radial.hpp"
#include "whorl/trajectory/spiral.hpp"

namespace whorl {
namespace {

constexpr Index n = 64;
constexpr Index readout = 128;
const Shape image{n, n};

using Data = Array<std::complex<float>>;

// The brain phantom, whose mean is 0.7, with an SNR of 20.
Data measure(const Context& ctx, Trajectory places, std::uint64_t seed = 1) {
  Scan scan = phantom_scan(ctx, brain_phantom(2),
                           test::make_trajectory_scan(std::make_shared<Trajectory>(std::move(places)), {n, n, 1}),
                           {.coils = 4, .noise_standard_deviation = 0.035, .seed = seed});
  return std::move(scan.frames.front().data);
}

Trajectory spokes_of(const Context& ctx, Index spokes) {
  return radial_trajectory(ctx, spokes, readout, SpokeOrder::golden_angle);
}

// Every second spoke has other delays: on average they are 0.15, and no half of the data says so.
Trajectory spokes_of_two_minds(const Context& ctx, Index spokes) {
  Trajectory places = spokes_of(ctx, spokes);
  const Trajectory one = delayed(ctx, places, {.x = 0.9, .y = -0.6});
  const Trajectory other = delayed(ctx, places, {.x = -0.6, .y = 0.9});
  for (Index j = 0; j < places.samples(); ++j) {
    for (Index axis = 0; axis < 2; ++axis) {
      places.points.view<2>()(j, axis) = (j / readout % 2 == 0 ? one : other).points.view<2>()(j, axis);
    }
  }
  return places;
}

TEST(DelaysInDoubt, GoodEstimatesAreNot) {
  const Context ctx({.threads = 2});
  for (const Index spokes : {13, 60}) {
    for (const GradientDelays& delays : {GradientDelays{}, GradientDelays{.x = -2.4, .y = 1.3, .xy = 0.1}}) {
      const Trajectory nominal = spokes_of(ctx, spokes);
      const DelayEstimate found = estimate_delays(ctx, nominal, measure(ctx, delayed(ctx, nominal, delays)), image);
      // An estimate of 0.002 samples is one of which the data say neither that it is better nor that it is worse.
      if (delays.x != 0) {
        EXPECT_EQ(found.doubt, "") << spokes;
      }
      EXPECT_LE(std::abs(found.delays.x - delays.x), 5 * found.standard_error + 0.01) << spokes;
    }
  }
}

TEST(DelaysInDoubt, PartsOfTheDataContradictEachOther) {
  const Context ctx({.threads = 2});
  const DelayEstimate found =
      estimate_delays(ctx, spokes_of(ctx, 32), measure(ctx, spokes_of_two_minds(ctx, 32)), image);
  // Without one of four groups, of which two have delays that are 1.5 apart, the mean moves by 0.25: the jackknife's
  // error is sqrt(3/4 4 0.25^2) = 0.43.
  EXPECT_GT(found.standard_error, 0.2);
  EXPECT_NE(found.doubt.find("uncertain"), std::string::npos) << found.doubt;
}

TEST(DelaysInDoubt, FramesContradictEachOther) {
  const Context ctx({.threads = 2});
  const Trajectory nominal = spokes_of(ctx, 30);
  const auto estimate = [&](const std::vector<double>& of_frames) {
    std::vector<Data> data;
    std::vector<DelayFrame> frames;
    for (std::size_t f = 0; f < of_frames.size(); ++f) {
      data.push_back(measure(ctx, delayed(ctx, nominal, {.x = of_frames[f], .y = -0.2}), f + 1));
    }
    for (const Data& of_frame : data) frames.push_back({&nominal, of_frame});
    return estimate_delays(ctx, frames, image);
  };
  const DelayEstimate alike = estimate({0.4, 0.4});
  EXPECT_EQ(alike.doubt, "");
  EXPECT_NEAR(alike.delays.x, 0.4, 0.02);
  const DelayEstimate apart = estimate({0.1, 0.4, 0.9});
  EXPECT_NE(apart.doubt.find("uncertain"), std::string::npos) << apart.doubt;
}

TEST(DelaysInDoubt, MoreThanWasTested) {
  const Context ctx({.threads = 2});
  const Trajectory nominal = spokes_of(ctx, 60);
  const DelayEstimate found = estimate_delays(ctx, nominal, measure(ctx, delayed(ctx, nominal, {.x = 4.5})), image);
  EXPECT_NE(found.doubt.find("never tested"), std::string::npos) << found.delays.x << found.doubt;
}

// Samples that were moved to points of the Cartesian grid (GROG), with the positions of the spokes: nothing is delayed. Spokes
// of random phase: nothing predicts anything. Whatever is found, what makes readouts predict each other worse is in doubt.
TEST(DelaysInDoubt, NothingThatFitsWorseHolds) {
  const Context ctx({.threads = 2});
  for (const Index spokes : {16, 48}) {
    const Trajectory nominal = spokes_of(ctx, spokes);
    Trajectory grid = spokes_of(ctx, spokes);
    for (double& k : grid.points.span()) k = std::clamp(std::round(k * n) / n, -0.5, 0.5);
    Data turned = measure(ctx, spokes_of(ctx, spokes));
    for (Index i = 0; i < turned.size(); ++i) {
      const auto spoke = static_cast<std::uint64_t>(i % turned.extent(1) / readout);
      turned.data()[i] *= std::complex<float>(std::polar(1.0, 2 * std::numbers::pi * random_uniform(7, spoke)));
    }
    const Data gridded = measure(ctx, std::move(grid));
    for (const Data* data : {&gridded, &std::as_const(turned)}) {
      try {
        const DelayEstimate found = estimate_delays(ctx, nominal, *data, image);
        std::printf("%d spokes: %.3f, %.3f, %.3f +- %.3f, before %.3f, after %.3f: %s\n", static_cast<int>(spokes),
                    found.delays.x, found.delays.y, found.delays.xy, found.standard_error, found.before, found.after,
                    found.doubt.c_str());
        const double most = std::max({std::abs(found.delays.x), std::abs(found.delays.y), std::abs(found.delays.xy)});
        // Less than a hundredth of a sample changes nothing.
        if (found.after >= found.before && most > 0.01) {
          EXPECT_NE(found.doubt, "");
        }
      } catch (const ValueError& error) {
        std::printf("%d spokes: %s\n", static_cast<int>(spokes), error.what());  // the data do not determine them
      }
    }
  }
}

// The scan stays as it is, and a note says why.
TEST(DelaysInDoubt, AreNotUndone) {
  const Context ctx({.threads = 2});
  const auto undone = [&](Trajectory places) {
    Scan scan = test::make_trajectory_scan(std::make_shared<Trajectory>(spokes_of(ctx, 32)), {n, n, 1});
    scan.coils = 4;
    scan.frames.front().data = measure(ctx, std::move(places));
    const auto before = scan.frames.front().trajectory;
    undo_estimated_delays(ctx, scan);
    return std::pair(scan.frames.front().trajectory == before, scan.notes.back());
  };
  const auto [stays, doubt] = undone(spokes_of_two_minds(ctx, 32));
  EXPECT_TRUE(stays);
  EXPECT_NE(doubt.find("were not undone"), std::string::npos) << doubt;
  const auto [kept, note] = undone(delayed(ctx, spokes_of(ctx, 32), {.x = 0.5, .y = -0.3}));
  EXPECT_FALSE(kept);
  EXPECT_EQ(note.find("were not undone"), std::string::npos) << note;
}

// Moves of noise alone would change the image, and bring nothing: the trajectory keeps its bits.
TEST(DelaysInDoubt, ThoseOfNoiseAreNotUndone) {
  const Context ctx({.threads = 2});
  const auto spiral = std::make_shared<const Trajectory>(spiral_trajectory(ctx, 8, 700, 4));
  const auto radial = std::make_shared<const Trajectory>(spokes_of(ctx, 32));
  for (const auto& nominal : {spiral, radial}) {
    for (const std::uint64_t seed : {1U, 2U, 3U}) {
      Scan scan = phantom_scan(ctx, brain_phantom(2), test::make_trajectory_scan(nominal, {n, n, 1}),
                               {.coils = 4, .noise_standard_deviation = 0.035, .seed = seed});
      const auto before = scan.frames.front().trajectory;
      const DelayEstimate found = estimate_delays(ctx, *before, scan.frames.front().data, image);
      undo_estimated_delays(ctx, scan);
      std::printf("%.4f, %.4f, %.4f +- %.4f: %s\n", found.delays.x, found.delays.y, found.delays.xy,
                  found.standard_error, scan.notes.back().c_str());
      EXPECT_EQ(scan.frames.front().trajectory == before, !found.is_significant || !found.doubt.empty());
      // The largest of three errors is beyond two standard errors once in eight scans, and beyond three once in 120.
      const double most = std::max({std::abs(found.delays.x), std::abs(found.delays.y), std::abs(found.delays.xy)});
      EXPECT_LT(most, 0.01 + 3 * found.standard_error);
      EXPECT_EQ(found.is_significant, most > std::max(0.01, 2 * found.standard_error));
    }
  }
}

}  // namespace
}  // namespace whorl
