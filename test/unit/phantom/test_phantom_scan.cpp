#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "whorl/core/error.hpp"
#include "whorl/phantom/phantom_scan.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

class PhantomScanTest : public ::testing::Test {
 protected:
  Scan scan(const PhantomScanOptions& options) const { return phantom_scan(ctx_, trajectory_, {18, 20, 1}, options); }

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
  options.noise_covariance = covariance;
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

TEST_F(PhantomScanTest, BadOptionsAreRefused) {
  EXPECT_THROW(scan({.coils = 0}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = -1}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = std::numeric_limits<double>::quiet_NaN()}), ValueError);
  EXPECT_THROW(scan({.noise_standard_deviation = 1, .noise_samples = -1}), ValueError);
  EXPECT_THROW(phantom_scan(ctx_, trajectory_, {18, 20, 4}, {}), ShapeError);
  Array<Complex> covariance = zeros<Complex>(ctx_, {2, 2});
  PhantomScanOptions options{.coils = 2, .noise_standard_deviation = 1};
  options.noise_covariance = covariance;
  EXPECT_THROW(scan(options), ValueError);  // singular
  covariance.data()[0] = covariance.data()[3] = 1;
  covariance.data()[1] = 0.5;
  EXPECT_THROW(scan(options), ValueError);  // not Hermitian
  options.coils = 3;
  EXPECT_THROW(scan(options), ShapeError);
}

}  // namespace
}  // namespace whorl
