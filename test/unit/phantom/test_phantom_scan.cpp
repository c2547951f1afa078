#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "support/phantom_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/phantom/brain.hpp"
#include "whorl/phantom/coils.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

class PhantomScanTest : public ::testing::Test {
 protected:
  Scan scan(const PhantomScanOptions& options) const {
    return test::make_phantom_scan(ctx_, trajectory_, {18, 20, 1}, options);
  }

  Context ctx_;
  std::shared_ptr<const Trajectory> trajectory_ =
      std::make_shared<const Trajectory>(radial_trajectory(ctx_, 6, 32, SpokeOrder::golden_angle));
};

TEST_F(PhantomScanTest, LooksLikeAScan) {
  const Scan clean = scan({.coils = 5});
  EXPECT_EQ(clean.coils, 5);
  EXPECT_EQ(clean.image_shape(), (Shape{20, 18}));
  ASSERT_EQ(clean.frames.size(), 1U);
  EXPECT_EQ(clean.frames[0].data.shape(), (Shape{5, 192}));
  EXPECT_EQ(clean.frames[0].trajectory, trajectory_);
  EXPECT_EQ(clean.frames[0].geometry.field_of_view_mm[1], 20);
  EXPECT_EQ(clean.noise.size(), 0);
}

TEST_F(PhantomScanTest, NoiseHasTheCovarianceAskedFor) {
  Array<Complex> covariance = zeros<Complex>(ctx_, {2, 2});
  covariance.data()[0] = 2;
  covariance.data()[1] = Complex(0.3, -0.6);
  covariance.data()[2] = Complex(0.3, 0.6);
  covariance.data()[3] = 0.5;
  PhantomScanOptions options{.coils = 2, .noise_standard_deviation = 3, .noise_samples = 20000, .seed = 5};
  options.noise_covariance = std::make_shared<const Array<Complex>>(covariance.share());
  const Scan noisy = scan(options);
  ASSERT_EQ(noisy.noise.shape(), (Shape{2, 20000}));
  for (Index a = 0; a < 2; ++a) {
    for (Index b = 0; b < 2; ++b) {
      Complex sum = 0;
      for (Index i = 0; i < 20000; ++i) {
        sum += Complex(noisy.noise.slice(a).data()[i]) * std::conj(Complex(noisy.noise.slice(b).data()[i]));
      }
      // The estimate of C_ab has the standard deviation sqrt(C_aa C_bb / samples); 5 of them are allowed.
      const double deviation = 9 * std::sqrt(std::abs(covariance.data()[3 * a] * covariance.data()[3 * b]) / 20000);
      EXPECT_LT(std::abs(sum / 20000.0 - 9.0 * covariance.data()[2 * a + b]), 5 * deviation);
    }
  }
}

TEST_F(PhantomScanTest, NoiseOfTheDataIsAnotherOneThanThatOfTheNoiseScan) {
  const Scan clean = scan({.coils = 3});
  const Scan noisy = scan({.coils = 3, .noise_standard_deviation = 0.25, .noise_samples = 192, .seed = 7});
  const Scan again = scan({.coils = 3, .noise_standard_deviation = 0.25, .noise_samples = 0, .seed = 7});
  EXPECT_EQ(again.noise.size(), 0);
  Complex correlation = 0;
  double variance = 0;
  for (Index i = 0; i < 3 * 192; ++i) {
    EXPECT_EQ(noisy.frames[0].data.data()[i], again.frames[0].data.data()[i]);
    const Complex noise(noisy.frames[0].data.data()[i] - clean.frames[0].data.data()[i]);
    correlation += std::conj(noise) * Complex(noisy.noise.data()[i]);
    variance += std::norm(noise);
  }
  // 576 samples: standard deviation of both means 0.0625 / 24; 5 of them are allowed.
  EXPECT_NEAR(variance / 576, 0.0625, 5 * 0.0625 / 24);
  EXPECT_LT(std::abs(correlation) / 576, 5 * 0.0625 / 24);
}

TEST_F(PhantomScanTest, AllFramesAreMeasured) {
  Scan frames = test::make_trajectory_scan(trajectory_, {18, 20, 1});
  frames.dwell_us = 4;
  frames.frames[0].geometry.field_of_view_mm = {90, 100, 5};
  ScanFrame again = {{.repetition = 1}, trajectory_, nullptr, {}, frames.frames[0].geometry};
  frames.frames.push_back(std::move(again));
  auto other = std::make_shared<const Trajectory>(radial_trajectory(ctx_, 3, 40, SpokeOrder::uniform));
  ScanFrame last = {{.repetition = 2}, other, nullptr, {}, frames.frames[0].geometry};
  frames.frames.push_back(std::move(last));

  const Phantom brain = brain_phantom(2);
  const Scan noisy = phantom_scan(ctx_, brain, std::move(frames),
                                  {.coils = 2, .noise_standard_deviation = 0.1, .noise_samples = 10, .seed = 3});
  ASSERT_EQ(noisy.frames.size(), 3U);
  EXPECT_EQ(noisy.frames[1].index.repetition, 1);
  EXPECT_EQ(noisy.frames[0].geometry.field_of_view_mm[1], 100);
  EXPECT_EQ(noisy.frames[2].data.shape(), (Shape{2, 120}));
  EXPECT_EQ(noisy.noise_dwell_us, 4);
  const PhantomCoils coils = make_phantom_coils(ctx_, {18, 20, 1}, 2);
  double difference = 0;  // of the noise of the first two frames
  for (std::size_t number = 0; number < 3; ++number) {
    const ScanFrame& frame = noisy.frames[number];
    const auto clean = phantom_coil_samples<float>(ctx_, brain, coils, frame.trajectory->points);
    double variance = 0;
    for (Index i = 0; i < clean.size(); ++i) {
      variance += std::norm(frame.data.data()[i] - clean.data()[i]);
      if (number == 1) difference += std::norm(frame.data.data()[i] - noisy.frames[0].data.data()[i]);
    }
    // 240 samples or more: 1 / sqrt(240) = 6.5 % standard deviation of the variance; 5 of them are allowed.
    EXPECT_NEAR(variance / static_cast<double>(clean.size()), 0.01, 0.01 * 5 * 0.065) << number;
  }
  EXPECT_NEAR(difference / 384, 0.02, 0.02 * 5 * 0.065);
}

TEST_F(PhantomScanTest, WithoutCoilsOneChannelSeesTheObject) {
  const Scan plain = scan({.coils = 0});
  EXPECT_EQ(plain.coils, 1);
  const auto expected =
      phantom_samples(ctx_, shepp_logan(2, PhantomContrast::modified), {18, 20, 1}, trajectory_->points);
  for (Index i = 0; i < expected.size(); ++i) {
    EXPECT_LT(std::abs(Complex(plain.frames[0].data.data()[i]) - expected.data()[i]),
              1e-6 * std::abs(expected.data()[16]));
  }
}

// The matrix must be positive definite for any correlation below 1, even and odd numbers of coils; the scan checks
// that.
TEST_F(PhantomScanTest, NeighborsOnTheRingShareNoise) {
  for (const Index coils : {1, 2, 5, 8}) {
    Array<Complex> covariance = ring_noise_covariance(ctx_, coils, 0.9);
    PhantomScanOptions options{.coils = coils, .noise_standard_deviation = 1, .noise_samples = 1};
    options.noise_covariance = std::make_shared<const Array<Complex>>(covariance.share());
    EXPECT_NO_THROW(scan(options)) << coils;
  }
  const Array<Complex> covariance = ring_noise_covariance(ctx_, 5, 0.5);
  const auto c = covariance.view<2>();
  EXPECT_EQ(c(2, 2), 1.0);
  EXPECT_EQ(c(0, 4), 0.5);
  EXPECT_EQ(c(3, 1), 0.25);
  EXPECT_THROW(ring_noise_covariance(ctx_, 4, 1), ValueError);
  EXPECT_THROW(ring_noise_covariance(ctx_, 4, -0.1), ValueError);
  EXPECT_THROW(ring_noise_covariance(ctx_, 0, 0.1), ValueError);
}

TEST_F(PhantomScanTest, BadOptionsAreRefused) {
  EXPECT_THROW(scan({.coils = -1}), ValueError);
  EXPECT_THROW(scan({.coils = 1025}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = 1, .noise_samples = Index{1} << 40}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = -1}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = std::numeric_limits<double>::quiet_NaN()}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = 1, .noise_samples = -1}), ValueError);
  EXPECT_THROW(test::make_phantom_scan(ctx_, trajectory_, {18, 20, 4}, {}), ShapeError);
  EXPECT_THROW(test::make_phantom_scan(ctx_, nullptr, {18, 20, 1}, {}), ValueError);
  EXPECT_THROW(phantom_scan(ctx_, brain_phantom(3), test::make_trajectory_scan(trajectory_, {18, 20, 1}), {}),
               ValueError);
  Scan empty;
  empty.matrix = {18, 20, 1};
  EXPECT_THROW(phantom_scan(ctx_, brain_phantom(2), std::move(empty), {}), ValueError);
  Array<Complex> covariance = zeros<Complex>(ctx_, {2, 2});
  PhantomScanOptions options{.coils = 2, .noise_standard_deviation = 1};
  options.noise_covariance = std::make_shared<const Array<Complex>>(covariance.share());
  EXPECT_THROW(scan(options), ValueError);  // singular
  covariance.data()[0] = covariance.data()[3] = 1;
  covariance.data()[1] = 0.5;
  EXPECT_THROW(scan(options), ValueError);  // not Hermitian
  options.coils = 3;
  EXPECT_THROW(scan(options), ShapeError);
}

// A disk of one tissue: the signal decays and turns by its own rates, uniformly, so that each sample is the exact one
// times exp(-(R2* + 2 pi i f) t). The sum over 4 x 4 points per pixel differs from the integral at the disk's edge.
TEST_F(PhantomScanTest, AnEvolvingSignalIsThatOfItsTissue) {
  Phantom disk;
  disk.name = "disk";
  disk.regions.push_back({Solid{.center = {0.1, -0.2, 0}, .half_axes = {0.5, 0.6, 1}}, {1, 40, 70}});
  Scan start = test::make_trajectory_scan(trajectory_, {18, 20, 1});
  start.dwell_us = 100;
  start.readout_start_us = -400;
  const Scan resting = phantom_scan(ctx_, disk, clone(ctx_, start), {.coils = 2});
  const Scan evolving = phantom_scan(ctx_, disk, std::move(start), {.coils = 2, .evolving_points = 4});
  double difference = 0;
  double total = 0;
  for (Index i = 0; i < resting.frames[0].data.size(); ++i) {
    const double t = 1e-6 * (-400 + 100.0 * static_cast<double>(i % 32));
    const Complex expected =
        Complex(resting.frames[0].data.data()[i]) * std::exp(-Complex(40, 2 * std::numbers::pi * 70) * t);
    difference += std::norm(Complex(evolving.frames[0].data.data()[i]) - expected);
    total += std::norm(expected);
  }
  EXPECT_LT(std::sqrt(difference / total), 0.02);
  Scan timeless = test::make_trajectory_scan(trajectory_, {18, 20, 1});
  EXPECT_THROW(phantom_scan(ctx_, disk, std::move(timeless), {.evolving_points = 2}), ValueError);
}

}  // namespace
}  // namespace whorl
