#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "whorl/calib/channel_matrix.hpp"
#include "whorl/calib/noise.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/trajectory/radial.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

constexpr Index coils = 4;

// C = L L^H of a lower triangular L, entry by entry.
struct Colored {
  Array<Complex> lower;
  Array<Complex> covariance;
};

Colored colored(const Context& ctx) {
  Colored c{zeros<Complex>(ctx, {coils, coils}), zeros<Complex>(ctx, {coils, coils})};
  const auto l = c.lower.view<2>();
  const auto product = c.covariance.view<2>();
  for (Index i = 0; i < coils; ++i) {
    for (Index j = 0; j < i; ++j) {
      l(i, j) = Complex(0.3 * static_cast<double>(i - j), 0.2 * static_cast<double>(j) - 0.4);
    }
    l(i, i) = 0.5 + static_cast<double>(i);
  }
  for (Index i = 0; i < coils; ++i) {
    for (Index j = 0; j < coils; ++j) {
      for (Index k = 0; k < coils; ++k) product(i, j) += l(i, k) * std::conj(l(j, k));
    }
  }
  return c;
}

Array<Complex> noise(const Context& ctx, Index samples, std::uint64_t seed) {
  Array<Complex> white(ctx, {coils, samples});
  fill_random_normal<double>(white, seed);
  return apply_channel_matrix<double>(ctx, colored(ctx).lower, white);
}

// Largest error of an estimate over the standard deviation sqrt(C_aa C_bb / samples) that it has for normal noise.
double error_in_deviations(ArrayRef<const Complex> estimate, ArrayRef<const Complex> truth, Index samples) {
  double worst = 0;
  for (Index a = 0; a < coils; ++a) {
    for (Index b = 0; b < coils; ++b) {
      const double power = truth.view<2>()(a, a).real() * truth.view<2>()(b, b).real();
      const double deviation = std::sqrt(power / static_cast<double>(samples));
      worst = std::max(worst, std::abs(estimate.view<2>()(a, b) - truth.view<2>()(a, b)) / deviation);
    }
  }
  return worst;
}

TEST(Noise, CovarianceOfColoredNoise) {
  const Context ctx;
  const Array<Complex> samples = noise(ctx, 5000, 3);
  const NoiseCovariance estimate = noise_covariance<double>(ctx, samples);
  EXPECT_EQ(estimate.samples, 5000);
  EXPECT_NE(estimate.note.find("5000 samples of a noise scan"), std::string::npos) << estimate.note;
  // 16 numbers that are normal: none beyond 5 deviations.
  EXPECT_LT(error_in_deviations(estimate.matrix, colored(ctx).covariance, 5000), 5);
}

TEST(Noise, WhiteningMakesTheCovarianceTheIdentity) {
  const Context ctx;
  const Colored c = colored(ctx);
  const Array<Complex> whitening = prewhitening_matrix(ctx, c.covariance);
  const auto w = whitening.view<2>();
  const auto covariance = c.covariance.view<2>();
  for (Index a = 0; a < coils; ++a) {
    for (Index b = 0; b < coils; ++b) {
      if (b > a) {
        EXPECT_EQ(w(a, b), Complex(0));
      }
      Complex product = 0;
      for (Index i = 0; i < coils; ++i) {
        for (Index j = 0; j < coils; ++j) product += w(a, i) * covariance(i, j) * std::conj(w(b, j));
      }
      // Rounding times the condition number of C, which is below 1e3.
      EXPECT_LT(std::abs(product - Complex(a == b ? 1 : 0)), 1e-12);
    }
  }
}

TEST(Noise, WhitenedNoiseHasUnitVariance) {
  const Context ctx;
  const Array<Complex> samples = noise(ctx, 5000, 3);
  const NoiseCovariance estimate = noise_covariance<double>(ctx, samples);
  const Array<Complex> white = apply_channel_matrix<double>(ctx, prewhitening_matrix(ctx, estimate.matrix), samples);
  const NoiseCovariance after = noise_covariance<double>(ctx, white);
  // The same samples gave the matrix, so this holds to rounding.
  for (Index a = 0; a < coils; ++a) {
    for (Index b = 0; b < coils; ++b) {
      EXPECT_LT(std::abs(after.matrix.view<2>()(a, b) - Complex(a == b ? 1 : 0)), 1e-12);
    }
  }
}

TEST(Noise, DwellTimesScaleTheVariance) {
  const Context ctx;
  NoiseCovariance covariance = noise_covariance<double>(ctx, noise(ctx, 50, 3));
  const double before = covariance.matrix.data()[0].real();
  scale_to_dwell(covariance, 0, 4);
  EXPECT_EQ(covariance.matrix.data()[0].real(), before);
  EXPECT_NE(covariance.note.find("not scaled"), std::string::npos);
  // A noise scan with 10 us, data with 2.5 us: four times the bandwidth and four times the variance.
  scale_to_dwell(covariance, 10, 2.5);
  EXPECT_DOUBLE_EQ(covariance.matrix.data()[0].real(), 4 * before);
  EXPECT_NE(covariance.note.find("scaled by 4 "), std::string::npos);
  EXPECT_THROW(scale_to_dwell(covariance, -1, 2), ValueError);
  EXPECT_THROW(scale_to_dwell(covariance, 1, std::numeric_limits<double>::infinity()), ValueError);
}

TEST(Noise, BadNoiseIsRefused) {
  const Context ctx;
  EXPECT_THROW(noise_covariance<double>(ctx, noise(ctx, coils - 1, 3)), ValueError);
  EXPECT_THROW(noise_covariance<double>(ctx, zeros<Complex>(ctx, {4, 5, 6})), ShapeError);
  EXPECT_THROW(noise_covariance<double>(ctx, zeros<Complex>(ctx, {0, 5})), ShapeError);
  Array<Complex> bad = noise(ctx, 50, 3);
  bad.data()[60] = std::numeric_limits<double>::quiet_NaN();
  try {
    noise_covariance<double>(ctx, bad);
    FAIL() << "not refused";
  } catch (const ValueError& error) {
    EXPECT_NE(std::string(error.what()).find("element 10 of coil 1"), std::string::npos) << error.what();
  }
}

TEST(Noise, SingularCovarianceIsRefused) {
  const Context ctx;
  Array<Complex> samples = noise(ctx, 50, 3);
  for (Index i = 0; i < 50; ++i) samples.slice(3).data()[i] = 2.0 * samples.slice(1).data()[i];
  EXPECT_THROW(prewhitening_matrix(ctx, noise_covariance<double>(ctx, samples).matrix), ValueError);  // a copy
  for (Index i = 0; i < 50; ++i) samples.slice(3).data()[i] = 0;
  EXPECT_THROW(prewhitening_matrix(ctx, noise_covariance<double>(ctx, samples).matrix), ValueError);  // unplugged
  Array<Complex> skew = clone(ctx, colored(ctx).covariance);
  skew.data()[1] += 0.1;
  EXPECT_THROW(prewhitening_matrix(ctx, skew), ValueError);
  EXPECT_THROW(prewhitening_matrix(ctx, zeros<Complex>(ctx, {3, 4})), ShapeError);
}

// A coil with a gain of 1e-6 of the others is not singular.
TEST(Noise, GainsDoNotMatterForTheCondition) {
  const Context ctx;
  Array<Complex> samples = noise(ctx, 500, 3);
  for (auto& sample : samples.slice(2).span()) sample *= 1e-6;
  EXPECT_NO_THROW(prewhitening_matrix(ctx, noise_covariance<double>(ctx, samples).matrix));
}

TEST(Noise, EdgeOfKSpace) {
  const Context ctx;
  const Index samples = 200 * 64;
  const Trajectory trajectory = radial_trajectory(ctx, 200, 64, SpokeOrder::golden_angle);
  Array<Complex> data = noise(ctx, samples, 11);
  const auto k = trajectory.points.view<2>();
  for (Index i = 0; i < samples; ++i) {
    // Signal that is 1e4 in the middle and far below the noise at the edge, but for every 50th readout, a spike.
    const double radius = std::hypot(k(i, 0), k(i, 1));
    const double signal = 1e4 * std::exp(-radius * radius / 0.01) + (i / 64 % 50 == 0 ? 100 : 0);
    for (Index coil = 0; coil < coils; ++coil) {
      data.slice(coil).data()[i] += std::polar(signal, static_cast<double>(coil + i));
    }
  }
  const NoiseCovariance estimate = noise_covariance_from_edge<double>(ctx, data, trajectory.points);
  EXPECT_NE(estimate.note.find("edge of k-space"), std::string::npos) << estimate.note;
  // A tenth of the samples without the 2 % of spikes, and without the few noise samples beyond the limit.
  EXPECT_LE(estimate.samples, samples / 10 - samples / 500 + 10);
  EXPECT_GT(estimate.samples, samples / 10 - samples / 500 - 40);
  // Leaving out d > n + 5 sqrt(n) = 14 for n = 4 coils takes the part exp(-14) sum 14^j/j! (j < 4) = 5e-4 of the
  // samples and about 4 times that of the power of each, 0.2 %; one deviation is 3 %.
  EXPECT_LT(error_in_deviations(estimate.matrix, colored(ctx).covariance, estimate.samples), 5);
}

TEST(Noise, EdgeOfKSpaceErrors) {
  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, 4, 16, SpokeOrder::uniform);
  EXPECT_THROW(noise_covariance_from_edge<double>(ctx, noise(ctx, 64, 1), trajectory.points), ValueError);  // too few
  EXPECT_THROW(noise_covariance_from_edge<double>(ctx, noise(ctx, 65, 1), trajectory.points), ShapeError);
  const Trajectory more = radial_trajectory(ctx, 40, 16, SpokeOrder::uniform);
  EXPECT_THROW(noise_covariance_from_edge<double>(ctx, zeros<Complex>(ctx, {4, 640}), more.points), ValueError);
}

TEST(ChannelMatrix, IsAMatrixProduct) {
  const Context ctx;
  Array<Complex> matrix(ctx, {2, 3});
  Array<std::complex<float>> data(ctx, {3, 5, 7});
  fill_random_normal<double>(matrix, 1);
  fill_random_normal<float>(data, 2);
  const Array<std::complex<float>> result = apply_channel_matrix<float>(ctx, matrix, data);
  ASSERT_EQ(result.shape(), (Shape{2, 5, 7}));
  for (Index i = 0; i < 2; ++i) {
    for (Index j = 0; j < 35; ++j) {
      Complex sum = 0;
      for (Index c = 0; c < 3; ++c) sum += matrix.view<2>()(i, c) * Complex(data.data()[c * 35 + j]);
      // Three products of numbers below 4, rounded to float.
      EXPECT_LT(std::abs(sum - Complex(result.data()[i * 35 + j])), 5e-6);
    }
  }
  EXPECT_THROW(apply_channel_matrix<float>(ctx, matrix, zeros<std::complex<float>>(ctx, {2, 5})), ShapeError);
}

}  // namespace
}  // namespace whorl
