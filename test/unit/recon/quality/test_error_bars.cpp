#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"
#include "support/shared.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/operator.hpp"
#include "whorl/op/sense.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/recon/recon_plan.hpp"
#include "whorl/recon/reconstruct.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

constexpr Index nx = 12;
constexpr Index ny = 10;
constexpr Index voxels = nx * ny;
constexpr Index coils = 3;

// A scan of an object of about 20 noise levels: exact data, then noise that the coils share and hear at different
// gains, which the noise scan holds too.
class ErrorBarsOfAScan : public testing::Test {
 protected:
  // Seed 0: without noise.
  Scan scan(std::uint64_t seed) const {
    Scan result = test::make_trajectory_scan(trajectory, {nx, ny, 1});
    result.source = "made";
    result.coils = coils;
    result.coil_maps = clone(ctx, maps.ref().reshape({coils, 1, ny, nx}));
    result.noise = clone(ctx, noise_scan.ref());
    result.noise_dwell_us = result.dwell_us = 5;
    ScanFrame& frame = result.frames[0];
    const Sense<float> sense(clone(ctx, maps.ref()));
    const Dft<float> dft(ctx, trajectory->points, {ny, nx}, coils);
    frame.data = Array<Complex>(ctx, dft.range());
    (test::shared<float>(dft) * test::shared<float>(sense)).forward(ctx, object, frame.data);
    if (seed == 0) return result;
    const auto noise = mixed(test::random_array<float>(ctx, dft.range(), seed));
    axpby<float>(ctx, 1, noise, 1, frame.data);
    return result;
  }

  static Array<Complex> mixed(Array<Complex> noise) {
    const Index samples = noise.extent(1);
    for (Index j = 0; j < samples; ++j) {
      const Complex n0 = noise.data()[j];
      const Complex n1 = noise.data()[samples + j];
      noise.data()[samples + j] = 0.5F * n0 + 0.7F * n1;
      noise.data()[2 * samples + j] = 1.5F * noise.data()[2 * samples + j] - Complex(0, 0.4F) * n1;
    }
    return noise;
  }

  static Array<Complex> made_object(const Context& ctx) {
    auto object = test::random_array<float>(ctx, {ny, nx}, 31);
    for (Complex& value : object.span()) value *= 20.0F / (0.2F + std::abs(value));
    return object;
  }

  static ReconOptions converged(double lambda) {
    ReconOptions options{.coil_maps = CoilMapMethod::file,
                         .cg_sense = {.iterations = 400, .tolerance = 1e-6, .lambda = lambda}};
    options.nufft.tolerance = 1e-4;
    return options;
  }

  const Context ctx{{.threads = 2}};
  std::shared_ptr<const Trajectory> trajectory =
      std::make_shared<const Trajectory>(random_trajectory(ctx, 200, 2, RandomRegion::box, 5));
  Array<Complex> maps = phantom_coil_maps<float>(ctx, make_phantom_coils(ctx, {nx, ny, 1}, coils));
  Array<Complex> object = made_object(ctx);
  // 40000 samples: the noise level is known to 0.25 %.
  Array<Complex> noise_scan = mixed(test::random_array<float>(ctx, {coils, 40000}, 999));
};

// Counts how often it lies within a distance.
struct Share {
  double inside = 0;
  double all = 0;
  void add(bool is_inside) {
    inside += is_inside ? 1 : 0;
    ++all;
  }
  double value() const { return inside / all; }
};

// Monte Carlo through reconstruct itself. K = 1000 scans and 400 replicas know each standard deviation to 0.5 / sqrt(K) = 1.6 %
// and 2.5 %, their ratio to 3 %: 5 of these hold for 120 voxels but for a probability of 1e-4. The mean of the ratio over the
// voxels, of which neighbors share noise, is known to some 3 % / sqrt(30), to which the noise level adds 0.25 %: 3 %.
//
// The noise of the image is complex normal, with equal and independent parts: its real part lies within sigma /
// sqrt(2), its own standard deviation, with erf(1 / sqrt(2)) = 68.3 %; the complex number lies within sigma with 1 -
// 1/e = 63.2 %. An error of e in sigma moves these by 0.48 e and 0.74 e, and 120000 numbers know them to 0.2 %: 1.5 % in
// all, within the 2 % that are asked for.
TEST_F(ErrorBarsOfAScan, CoverTheTruthAsBruteForceDoes) {
  constexpr int images = 1000;
  const ReconOptions options = converged(1e-5);
  ReconOptions with_bars = options;
  with_bars.error_bars = {.standard_deviation = true, .bias = true, .noise = {.count = 400}};
  const Reconstruction truth = reconstruct(ctx, scan(0), with_bars);
  const auto predicted = truth.error_bars.standard_deviation.span();
  // Next to nothing but noise keeps an image from the object: a hundredth of its noise, which moves no share.
  double noise = 0;
  double bias = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    noise += predicted[i] * predicted[i];
    bias += std::norm(truth.error_bars.bias.span()[i]);
  }
  EXPECT_LT(std::sqrt(bias), 0.05 * std::sqrt(noise));

  std::vector<double> squares(voxels);
  Share real;
  Share complex;
  Share magnitude;
  for (int k = 0; k < images; ++k) {
    const Reconstruction one = reconstruct(ctx, scan(1000 + static_cast<std::uint64_t>(k)), options);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const Complex found = one.images.span()[i];
      const Complex expected = truth.images.span()[i];
      const double sigma = predicted[i];
      squares[i] += std::norm(found - expected);
      real.add(std::abs(found.real() - expected.real()) <= sigma / std::sqrt(2.0));
      complex.add(std::abs(found - expected) <= sigma);
      // Where the signal is 10 sigma, the magnitude is the part along the signal's phase, but for 1/400 of sigma.
      if (std::abs(expected) > 10 * sigma) {
        magnitude.add(std::abs(std::abs(found) - std::abs(expected)) <= sigma / std::sqrt(2.0));
      }
    }
  }
  double mean = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double ratio = std::sqrt(squares[i] / images) / predicted[i];
    EXPECT_NEAR(ratio, 1, 0.15) << i;
    mean += ratio / voxels;
  }
  EXPECT_NEAR(mean, 1, 0.03);
  EXPECT_NEAR(real.value(), std::erf(std::sqrt(0.5)), 0.015);
  EXPECT_NEAR(complex.value(), 1 - std::exp(-1), 0.015);
  ASSERT_GT(magnitude.all, 10000);
  EXPECT_NEAR(magnitude.value(), std::erf(std::sqrt(0.5)), 0.02);
  std::printf("real part %.3f, complex %.3f, magnitude %.3f (%.0f), mean ratio %.4f\n", real.value(), complex.value(),
              magnitude.value(), magnitude.all, mean);
}

// 400 images against a formula: 2.5 % each; 5 of these, and the mean as above. The scale of a gridded image is fitted
// to its data, which adds sigma / sqrt(voxels) of the image's own noise.
TEST_F(ErrorBarsOfAScan, OfGriddingAreThoseOfBruteForce) {
  constexpr int images = 400;
  const ReconOptions options{.method = ReconMethod::gridding,
                             .coil_maps = CoilMapMethod::file,
                             .gridding = {.combination = CombinationMethod::matched}};
  ReconOptions with_bars = options;
  with_bars.error_bars.standard_deviation = true;
  const Reconstruction first = reconstruct(ctx, scan(0), with_bars);
  std::vector<double> squares(voxels);
  std::vector<std::complex<double>> sums(voxels);
  for (int k = 0; k < images; ++k) {
    const Reconstruction one = reconstruct(ctx, scan(1000 + static_cast<std::uint64_t>(k)), options);
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const std::complex<double> found = one.images.span()[i];
      squares[i] += std::norm(found);
      sums[i] += found;
    }
  }
  double mean = 0;
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double variance = (squares[i] - std::norm(sums[i]) / images) / (images - 1);
    const double ratio = std::sqrt(variance) / first.error_bars.standard_deviation.span()[i];
    EXPECT_NEAR(ratio, 1, 0.14) << i;
    mean += ratio / voxels;
  }
  EXPECT_NEAR(mean, 1, 0.03);
}

// Replicas and probes estimate one thing; 300 replicas know it to 2.9 %, as many probes say how well they do.
TEST_F(ErrorBarsOfAScan, FramesOfOneTrajectoryShareThemAndMethodsAgree) {
  ReconOptions options = converged(1e-2);
  options.error_bars = {.standard_deviation = true, .g_factor = true, .points = {{{7, 4, 0}}}, .noise = {.count = 300}};
  Scan two = scan(0);
  test::add_frame(ctx, two, {.repetition = 1}, 2);
  const Reconstruction replicas = reconstruct(ctx, std::move(two), options);
  const auto& bars = replicas.error_bars;
  ASSERT_EQ(bars.standard_deviation.shape(), (Shape{2, 1, ny, nx}));
  ASSERT_EQ(bars.point_spreads.shape(), (Shape{1, 1, ny, nx}));
  EXPECT_EQ(bars.bias.size(), 0);
  ASSERT_EQ(bars.spread_widths.size(), 1U);
  EXPECT_EQ(bars.spread_widths[0].size(), 2U);
  options.error_bars.noise.method = StandardDeviationMethod::probe;
  const Reconstruction probes = reconstruct(ctx, scan(0), options);
  double mean = 0;
  for (std::size_t i = 0; i < voxels; ++i) {
    const float sigma = bars.standard_deviation.span()[i];
    EXPECT_EQ(bars.standard_deviation.span()[voxels + i], sigma);
    EXPECT_EQ(bars.g_factor.span()[voxels + i], bars.g_factor.span()[i]);
    // Maps with sum |s|^2 = 1, 200 samples of 120 voxels.
    EXPECT_NEAR(bars.g_factor.span()[i] / sigma, std::sqrt(200.0 / 120), 1e-5);
    mean += probes.error_bars.standard_deviation.span()[i] / sigma / voxels;
  }
  EXPECT_NEAR(mean, 1, 0.03);
  const auto says = [&](const std::string& part) {
    return std::any_of(replicas.notes.begin(), replicas.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
  };
  EXPECT_TRUE(says("300 pseudo replicas, seed 1; each value has a statistical error of 2.9 %"));
  EXPECT_TRUE(says("Point spread at (7, 4): "));
  // At the voxel itself it is the largest.
  const auto spread = bars.point_spreads.ref().reshape({ny, nx});
  for (const Complex value : spread.span()) EXPECT_LE(std::abs(value), std::abs(spread.view<2>()(4, 7)));
}

// Where the penalty does next to nothing, the truth is off by the noise alone: by that of the real part. The bound of 95 % is 1.96
// times that. Both come from the same replicas.
TEST_F(ErrorBarsOfAScan, OfTheTruthAreThoseOfTheNoiseWithoutAPenalty) {
  ReconOptions options = converged(1e-6);
  options.error_bars = {.standard_deviation = true, .truth_bar = true, .truth_bound = true, .noise = {.count = 30}};
  Scan two = scan(7);
  test::add_frame(ctx, two, {.repetition = 1}, 2);
  const Reconstruction made = reconstruct(ctx, std::move(two), options);
  const auto& bars = made.error_bars;
  ASSERT_EQ(bars.truth_bar.shape(), (Shape{2, 1, ny, nx}));
  for (std::size_t i = 0; i < voxels; ++i) {
    const double noise = bars.standard_deviation.span()[i] / std::sqrt(2.0);
    EXPECT_NEAR(bars.truth_bar.span()[i], noise, 0.01 * noise) << i;
    EXPECT_NEAR(bars.truth_bound.span()[i], 1.96 * noise, 0.05 * noise) << i;
  }
  const auto said = std::any_of(made.notes.begin(), made.notes.end(), [](const std::string& note) {
    return note.find("Error bars of the truth: 30 replicas") != std::string::npos;
  });
  EXPECT_TRUE(said);
}

TEST_F(ErrorBarsOfAScan, SayWhereTheSolverStoppedEarly) {
  ReconOptions options = converged(1e-5);
  options.cg_sense.iterations = 2;
  options.error_bars = {.bias = true, .noise = {.iterations = 3}};
  const auto notes = reconstruct(ctx, scan(7), options).notes;
  ASSERT_GE(notes.size(), 2U);
  EXPECT_NE(notes[notes.size() - 2].find("allow more iterations"), std::string::npos) << notes[notes.size() - 2];
  EXPECT_NE(notes.back().find("This one stopped at"), std::string::npos) << notes.back();
}

TEST_F(ErrorBarsOfAScan, WhatIsNotKnownIsRefused) {
  const auto refused = [&](ReconOptions options, const ErrorBarOptions& wanted, const std::string& why) {
    options.error_bars = wanted;
    options.coil_maps = CoilMapMethod::file;
    try {
      plan_reconstruction(ctx, scan(0), options);
      ADD_FAILURE() << "not refused: " << why;
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
    }
  };
  refused({.prewhiten = false}, {.standard_deviation = true}, "prewhitening");
  refused({.prewhiten = false}, {.g_factor = true}, "prewhitening");
  refused({.method = ReconMethod::gridding}, {.standard_deviation = true}, "not linear");
  refused({.method = ReconMethod::gridding}, {.bias = true}, "cg-sense");
  refused({.prewhiten = false}, {.truth_bar = true}, "prewhitening");
  refused({.method = ReconMethod::gridding}, {.truth_bound = true}, "cg-sense");
  refused({.cg_sense = {.lambda = 0}}, {.truth_bar = true}, "lambda is 0");
  refused({}, {.points = {{{nx, 0, 0}}}}, "(12, 0, 0)");
  refused({}, {.points = {{{0, -1, 0}}}}, "(0, -1, 0)");
  refused({}, {.standard_deviation = true, .noise = {.count = 1}}, "at least 2");
}

TEST_F(ErrorBarsOfAScan, TakeTheMemoryThatIsPredictedAndFitTheBatchToWhatIsThere) {
  auto spokes = std::make_shared<Trajectory>(radial_trajectory(ctx, 300, 384, SpokeOrder::golden_angle));
  const auto make = [&] {
    return test::make_phantom_scan(ctx, spokes, {192, 192, 1},
                                   {.coils = 4, .noise_standard_deviation = 0.1, .noise_samples = 4096});
  };
  ReconOptions options{.cg_sense = {.iterations = 2}};
  options.error_bars = {.standard_deviation = true, .noise = {.count = 32, .batch = 32, .iterations = 2}};
  const auto predicted = static_cast<double>(reconstruction_memory(ctx, make(), options));
  const auto run = [&](std::size_t limit) {
    const Context fresh({.threads = 2, .max_memory = limit});
    Scan large = make();
    reconstruct(fresh, std::move(large), options);
    return static_cast<double>(fresh.pool().statistics().peak);
  };
  const double data = 4 * 300 * 384 * 8.0;  // of the scan, in another pool
  EXPECT_NEAR(run(0) / (predicted - data), 1, 0.15);
  // Bars of the truth take a sixth array, and five sums.
  ReconOptions of_truth = options;
  of_truth.error_bars.standard_deviation = false;
  of_truth.error_bars.truth_bar = of_truth.error_bars.truth_bound = true;
  const auto predicted_of_truth = static_cast<double>(reconstruction_memory(ctx, make(), of_truth));
  {
    const Context fresh({.threads = 2});
    reconstruct(fresh, make(), of_truth);
    EXPECT_NEAR(static_cast<double>(fresh.pool().statistics().peak) / (predicted_of_truth - data), 1, 0.15);
  }
  // 32 replicas of 192^2 voxels at 5 arrays each are 47 MB of it, 8 are 12 MB.
  const double less = predicted - 30e6;
  EXPECT_LT(run(static_cast<std::size_t>(less)), less);
}

}  // namespace
}  // namespace whorl
