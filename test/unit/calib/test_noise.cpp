#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

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
  // These samples gave the matrix, so this holds to rounding.
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
  EXPECT_THROW(noise_covariance_from_edge<double>(ctx, noise(ctx, 65, 1), trajectory.points), ShapeError);
  Array<Complex> broken = noise(ctx, 64, 1);
  broken.data()[70] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(noise_covariance_from_edge<double>(ctx, broken, trajectory.points), ValueError);
}

// Data of four coils along 100 spokes of 64 samples, oversampled twice along the spoke: a signal of each coil, times the
// noise's standard deviation and plus noise.
class EdgeThatIsNoNoise : public testing::Test {
 protected:
  static constexpr Index spokes = 100;
  static constexpr Index samples = spokes * 64;

  template <class Value>
  Array<Complex> data(double level, const Value& value) {
    Array<Complex> all = noise(ctx, samples, 11);
    const auto k = trajectory.points.view<2>();
    for (Index c = 0; c < coils; ++c) {
      for (Index i = 0; i < samples; ++i) {
        Complex& d = all.slice(c).data()[i];
        d = value(c, k(i, 0), k(i, 1), level * d);
      }
    }
    return all;
  }

  // A Gaussian of 4 pixels, seen from its own side by each coil: 1e4 in the middle, 1e-30 at the end of a spoke.
  static Complex smooth(Index c, double x, double y) {
    return 1e4 * std::exp(-2 * 16 * std::numbers::pi * std::numbers::pi * (x * x + y * y)) *
           std::polar(1.0, 6.0 * x * std::cos(1.5 * static_cast<double>(c)) + static_cast<double>(c));
  }

  // A square of 16 pixels, whose edges ring on to the end of k-space, at another place for each coil.
  static Complex sharp(Index c, double x, double y) {
    const auto sinc = [](double u) {
      return u == 0 ? 1 : std::sin(16 * std::numbers::pi * u) / (16 * std::numbers::pi * u);
    };
    return 1e4 * sinc(x) * sinc(y) * std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(c - 1) * (x + 2 * y));
  }

  void expect_unknown(const Array<Complex>& from, const std::string& why) {
    const NoiseCovariance found = noise_covariance_from_edge<double>(ctx, from, trajectory.points);
    EXPECT_FALSE(found.measured) << why;
    EXPECT_NE(found.note.find(why), std::string::npos) << found.note;
    EXPECT_EQ(found.samples, 0);
    for (Index a = 0; a < coils; ++a) {
      for (Index b = 0; b < coils; ++b) EXPECT_EQ(found.matrix.view<2>()(a, b), Complex(a == b ? 1 : 0));
    }
  }

  void expect_known(const Array<Complex>& from) {
    const NoiseCovariance found = noise_covariance_from_edge<double>(ctx, from, trajectory.points);
    EXPECT_TRUE(found.measured) << found.note;
    // A tenth of the samples; outliers of the noise itself are below 1 %.
    EXPECT_GT(found.samples, samples / 10 - samples / 1000);
    EXPECT_LT(error_in_deviations(found.matrix, colored(ctx).covariance, found.samples), 5);
  }

  const Context ctx;
  const Trajectory trajectory = radial_trajectory(ctx, spokes, 64, SpokeOrder::golden_angle);
};

TEST_F(EdgeThatIsNoNoise, NoiseIsTakenAtEveryLevelOfASmoothSignal) {
  for (const double signal : {1e-3, 1.0, 30.0}) {
    expect_known(data(1, [&](Index c, double x, double y, Complex n) { return signal * smooth(c, x, y) + n; }));
  }
}

TEST_F(EdgeThatIsNoNoise, SmoothObjectsWithoutNoise) {
  for (const double scale : {1.0, 1e-30}) {
    const auto tails = data(0, [&](Index c, double x, double y, Complex) { return scale * smooth(c, x, y); });
    expect_unknown(tails, "rounding");
  }
  // Single precision ends at 1e-45, beyond which are zeros.
  const auto denormal = data(0, [&](Index c, double x, double y, Complex) {
    return std::complex<double>(std::complex<float>(1e-26 * smooth(c, x, y)));
  });
  EXPECT_FALSE(noise_covariance_from_edge<double>(ctx, denormal, trajectory.points).measured);
  // Rounding of 1e-7 of the largest value is white, and still no noise.
  expect_unknown(data(1e-4, [&](Index c, double x, double y, Complex n) { return smooth(c, x, y) + n; }), "rounding");
}

TEST_F(EdgeThatIsNoNoise, SharpEdgesWithoutNoise) {
  const auto ringing = data(0, [&](Index c, double x, double y, Complex) { return sharp(c, x, y); });
  EXPECT_FALSE(noise_covariance_from_edge<double>(ctx, ringing, trajectory.points).measured);
  // Where the noise is above it, it is taken.
  const auto noisy = data(1, [&](Index c, double x, double y, Complex n) { return 3e-3 * sharp(c, x, y) + n; });
  EXPECT_TRUE(noise_covariance_from_edge<double>(ctx, noisy, trajectory.points).measured);
}

// Ellipses of one to twelve pixels all over the field of view, with a weight for each coil: no distance of neighbors is like
// another, so that correlations are small at each. Neighbors together predict the data.
TEST_F(EdgeThatIsNoNoise, ManySharpEdgesWithoutNoise) {
  const auto many = [](Index c, double x, double y) {
    Complex sum;
    for (int i = 0; i < 8; ++i) {
      const double rx = i == 0 ? 12 : 1 + 0.55 * i;
      const double ry = i == 0 ? 9.5 : 4.2 - 0.4 * i;
      const double to_x = i == 0 ? 0.25 : 6 * std::sin(2.3 * i);
      const double to_y = i == 0 ? -0.35 : 5 * std::cos(1.7 * i);
      const double q = std::max(std::hypot(x * rx, y * ry), 1e-9);
      const double of_coil = 1 + 0.4 * std::cos(0.2 * to_x + 0.13 * to_y + 1.5 * static_cast<double>(c));
      sum += (i == 0 ? 1 : 0.5) * of_coil * rx * ry * std::cyl_bessel_j(1, 2 * std::numbers::pi * q) / q *
             std::polar(1.0, -2 * std::numbers::pi * (to_x * x + to_y * y));
    }
    return sum;
  };
  const auto alone = data(0, [&](Index c, double x, double y, Complex) { return many(c, x, y); });
  expect_unknown(alone, "neighbors predict");
  // What a coil alone predicts is enough.
  const NoiseCovariance one =
      noise_covariance_from_edge<double>(ctx, alone.slice(0).reshape({1, samples}), trajectory.points);
  EXPECT_FALSE(one.measured) << one.note;
  // Rings below the noise leave it.
  const auto noisy = data(1, [&](Index c, double x, double y, Complex n) { return 0.1 * many(c, x, y) + n; });
  EXPECT_TRUE(noise_covariance_from_edge<double>(ctx, noisy, trajectory.points).measured);
}

// A receiver's filter that passes four fifths of the band leaves noise that its neighbors predict to 36 %.
TEST_F(EdgeThatIsNoNoise, FilteredByTheReceiver) {
  Array<Complex> all = noise(ctx, samples, 13);
  constexpr Index length = 64;
  for (Index c = 0; c < coils; ++c) {
    for (Index start = 0; start < samples; start += length) {
      Complex* const readout = all.slice(c).data() + start;
      std::array<Complex, length> filtered;
      for (Index wave = -length * 2 / 5; wave <= length * 2 / 5; ++wave) {
        const auto turn = [&](Index j) {
          return std::polar(1.0, 2 * std::numbers::pi * static_cast<double>(wave * j % length) / length);
        };
        Complex sum;
        for (Index j = 0; j < length; ++j) sum += std::conj(turn(j)) * readout[j];
        for (Index j = 0; j < length; ++j) filtered[static_cast<std::size_t>(j)] += sum * turn(j) / double{length};
      }
      std::ranges::copy(filtered, readout);
    }
  }
  EXPECT_TRUE(noise_covariance_from_edge<double>(ctx, all, trajectory.points).measured);
}

TEST_F(EdgeThatIsNoNoise, ZerosAreNotMeasured) {
  const auto cut = [](double x, double y) { return std::hypot(x, y) > 0.4; };
  expect_known(data(1, [&](Index c, double x, double y, Complex n) { return cut(x, y) ? 0 : smooth(c, x, y) + n; }));
  expect_unknown(data(1, [](Index, double x, double y, Complex n) { return std::hypot(x, y) > 0.03 ? 0 : n; }),
                 "nearly all samples are zero");
  expect_unknown(zeros<Complex>(ctx, {coils, samples}), "no data but zeros");
  expect_unknown(data(1, [](Index c, double, double, Complex n) { return c == 2 ? 0 : n; }), "coil 2 has no data but");
  const auto one = data(1, [&](Index c, double x, double y, Complex n) { return c == 1 && cut(x, y) ? 0 : n; });
  EXPECT_FALSE(noise_covariance_from_edge<double>(ctx, one, trajectory.points).measured);
}

TEST_F(EdgeThatIsNoNoise, FiltersAreSeen) {
  const auto fermi = [](double x, double y) { return 1 / (1 + std::exp((std::hypot(x, y) - 0.35) / 0.01)); };
  const auto filtered =
      data(1, [&](Index c, double x, double y, Complex n) { return fermi(x, y) * (smooth(c, x, y) + n); });
  EXPECT_FALSE(noise_covariance_from_edge<double>(ctx, filtered, trajectory.points).measured);
}

TEST_F(EdgeThatIsNoNoise, OneNoisyCoilIsNotAllOfThem) {
  expect_unknown(data(1, [&](Index c, double x, double y, Complex n) { return smooth(c, x, y) + (c == 2 ? n : 0); }),
                 "coil 0");
}

// Whole numbers are zero where noise is small, and noise where it is not: of a standard deviation of 3 in each part they
// add 1/12 to a variance of 9, less than 1 %.
TEST_F(EdgeThatIsNoNoise, WholeNumbers) {
  const auto whole = [&](double level) {
    return data(level, [&](Index c, double x, double y, Complex n) {
      const Complex d = smooth(c, x, y) + n;
      return Complex(std::round(d.real()), std::round(d.imag()));
    });
  };
  EXPECT_FALSE(noise_covariance_from_edge<double>(ctx, whole(0.1), trajectory.points).measured);
  const NoiseCovariance found = noise_covariance_from_edge<double>(ctx, whole(8), trajectory.points);
  EXPECT_TRUE(found.measured) << found.note;
}

TEST_F(EdgeThatIsNoNoise, CopiesOfACoil) {
  Array<Complex> copied = noise(ctx, samples, 11);
  copy<Complex>(copied.slice(1), copied.slice(3));
  expect_unknown(copied, "copies of others");
  for (Index i = 0; i < samples; ++i) copied.slice(3).data()[i] += 1e-4 * copied.slice(2).data()[i];
  expect_unknown(copied, "copies of others");
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
