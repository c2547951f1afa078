// Signals that evolve during the readout, against the direct sum over voxels with the evolution itself.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <numbers>

#include "support/compare.hpp"
#include "support/random_trajectory.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/op/dft.hpp"
#include "whorl/op/evolution_factors.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;
using Evolution = std::function<Complex(Index voxel, double t)>;

constexpr double turn = 2 * std::numbers::pi;

// y[c,j] = s sum_r x[c,r] e(r, t_j) exp(-2 pi i k_j.r), image [z, y, x].
Array<Complex> direct_sum(const Context& ctx, const Array<double>& points, const Shape& image,
                          const Array<double>& times, const Array<Complex>& x, const Evolution& e) {
  const Index samples = points.extent(0);
  const Index coils = x.extent(0);
  auto y = zeros<Complex>(ctx, {coils, samples});
  const auto k = points.view<2>();
  for (Index j = 0; j < samples; ++j) {
    for (Index r = 0; r < image.size(); ++r) {
      const Index iz = r / (image[1] * image[2]);
      const Index iy = r / image[2] % image[1];
      const Index ix = r % image[2];
      const double phase = k(j, 0) * double(ix - image[2] / 2) + k(j, 1) * double(iy - image[1] / 2) +
                           k(j, 2) * double(iz - image[0] / 2);
      const Complex term = e(r, times.data()[j]) * std::polar(1 / std::sqrt(double(image.size())), -turn * phase);
      for (Index c = 0; c < coils; ++c) y.data()[c * samples + j] += term * x.data()[c * image.size() + r];
    }
  }
  return y;
}

// Times of three readouts of unequal phase in one array: 0.4 to 16 ms after the excitation, in no order.
Array<double> scattered_times(const Context& ctx, Index samples) {
  Array<double> times(ctx, {samples});
  for (Index j = 0; j < samples; ++j)
    times.data()[j] = 4e-4 + 1.56e-2 * random_uniform(5, static_cast<std::uint64_t>(j));
  return times;
}

Array<float> random_map(const Context& ctx, const Shape& shape, double low, double high, std::uint64_t seed) {
  Array<float> map(ctx, shape);
  for (Index i = 0; i < map.size(); ++i) {
    map.data()[i] = static_cast<float>(low + (high - low) * random_uniform(seed, static_cast<std::uint64_t>(i)));
  }
  return map;
}

// The operator's data from a random image against the direct sum.
double error_against_direct_sum(const Context& ctx, const Shape& image, const ExponentialSignal& signal,
                                const Evolution& e, double tolerance, Index* rank) {
  const Index samples = 217;
  const auto points = test::random_points(ctx, samples, 3);
  const auto times = scattered_times(ctx, samples);
  const auto x = test::random_array<double>(ctx, image.with_front(2), 3);
  auto factors = evolution_factors<double>(ctx, signal, times, tolerance);
  *rank = factors.maps.extent(0);
  EXPECT_LE(factors.error, tolerance);
  const SignalEvolution<double> evolution(std::make_shared<const Dft<double>>(ctx, points, image, 2),
                                          std::move(factors));
  Array<Complex> y(ctx, {2, samples});
  evolution.forward(ctx, x, y);
  return test::relative_error(y, direct_sum(ctx, points, image, times, x, e));
}

// The image is white noise, so that the expected energy of the data's error is the squared error of e over all voxels
// and times: the data's relative error is expected to be that of the factors, but for their being made for times that
// are spread evenly and the spread of a sum of 434 samples with correlated errors. 2 covers both.
constexpr double spread = 2;

TEST(SignalEvolution, BiexponentialDecayOfMixedTissuesIsTheDirectSum) {
  const Context ctx({.threads = 2});
  const Shape image{5, 7, 6};
  const std::vector<TissueDecay> tissues{{0.6, 3, 20}, {0.55, 2.4, 17}, {0, 0, 55}};
  const auto portions = random_map(ctx, image.with_front(3), 0, 1, 7);
  const auto signal = tissue_signal(ctx, portions, tissues);
  const auto e = [&](Index r, double t) {
    const double in[] = {0.6 * std::exp(-t / 3e-3) + 0.4 * std::exp(-t / 20e-3),
                         0.55 * std::exp(-t / 2.4e-3) + 0.45 * std::exp(-t / 17e-3), std::exp(-t / 55e-3)};
    double sum = 0;
    for (Index k = 0; k < 3; ++k) sum += portions.data()[k * image.size() + r] * in[k];
    return Complex(sum);
  };
  Index last = 0;
  for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5}) {
    Index rank = 0;
    EXPECT_LT(error_against_direct_sum(ctx, image, signal, e, tolerance, &rank), spread * tolerance);
    EXPECT_GE(rank, last);
    last = rank;
  }
  EXPECT_LE(last, 5);  // there are five exponentials
}

TEST(SignalEvolution, DecayAtATimeIsThatOfTheSignal) {
  EXPECT_NEAR(decay_at({0.6, 3, 20}, 5e-3), 0.6 * std::exp(-5.0 / 3) + 0.4 * std::exp(-0.25), 1e-15);
  EXPECT_NEAR(decay_at({0, 0, 55}, 5e-3), std::exp(-5.0 / 55), 1e-15);
  EXPECT_NEAR(decay_at({1, 3, 0}, 5e-3), std::exp(-5.0 / 3), 1e-15);
}

// 1890 voxels with a decay and a frequency each of their own: more than the factors take one by one.
TEST(SignalEvolution, MapsOfDecayAndFieldAreTheDirectSum) {
  const Context ctx({.threads = 2});
  const Shape image{9, 14, 15};
  const auto r2_star = random_map(ctx, image, 20, 60, 1);
  const auto hertz = random_map(ctx, image, -120, 180, 2);
  const auto both = [&](Index r, double t) {
    return std::polar(std::exp(-double{r2_star.data()[r]} * t), -turn * double{hertz.data()[r]} * t);
  };
  const auto decay = [&](Index r, double t) { return Complex(std::exp(-double{r2_star.data()[r]} * t)); };
  for (const double tolerance : {1e-2, 1e-5}) {
    Index rank = 0;
    EXPECT_LT(error_against_direct_sum(ctx, image, exponential_signal(ctx, r2_star, hertz), both, tolerance, &rank),
              spread * tolerance);
    // 300 Hz in 15.6 ms are 4.7 turns: as many dimensions, and some for the ends and the decay.
    EXPECT_GE(rank, 4);
    EXPECT_LE(rank, 16);
    EXPECT_LT(error_against_direct_sum(ctx, image, exponential_signal(ctx, r2_star, {}), decay, tolerance, &rank),
              spread * tolerance);
    EXPECT_LE(rank, 4);
  }
}

TEST(SignalEvolution, BiexponentialMapsAreTheDirectSum) {
  const Context ctx({.threads = 2});
  const Shape image{4, 6, 5};
  const auto fraction = random_map(ctx, image, 0.4, 0.7, 1);
  const auto fast = random_map(ctx, image, 200, 500, 2);
  const auto slow = random_map(ctx, image, 30, 70, 3);
  const auto e = [&](Index r, double t) {
    const double a = fraction.data()[r];
    return Complex(a * std::exp(-double{fast.data()[r]} * t) + (1 - a) * std::exp(-double{slow.data()[r]} * t));
  };
  Index rank = 0;
  EXPECT_LT(error_against_direct_sum(ctx, image, biexponential_signal(ctx, fraction, fast, slow), e, 1e-4, &rank),
            spread * 1e-4);
}

// No fewer factors would do: a little less than the error that is stated takes one more.
TEST(SignalEvolution, TheRankIsTheLeastThatKeepsTheTolerance) {
  const Context ctx;
  const auto signal = exponential_signal(ctx, {}, random_map(ctx, {11, 13}, -90, 60, 1));
  const auto times = scattered_times(ctx, 100);
  const auto wide = evolution_factors<double>(ctx, signal, times, 1e-2);
  const auto narrow = evolution_factors<double>(ctx, signal, times, 0.999 * wide.error);
  EXPECT_EQ(narrow.maps.extent(0), wide.maps.extent(0) + 1);
  EXPECT_LT(narrow.error, wide.error);
}

// One class: one factor, which is the evolution itself. A product of two numbers that are rounded: some eps.
TEST(SignalEvolution, OneDecayForAllIsOneFactor) {
  const Context ctx;
  Array<float> r2_star(ctx, {4, 3});
  fill<float>(r2_star, 50);
  const auto times = scattered_times(ctx, 60);
  const auto factors = evolution_factors<double>(ctx, exponential_signal(ctx, r2_star, {}), times, 1e-3);
  ASSERT_EQ(factors.maps.extent(0), 1);
  for (Index j = 0; j < 60; ++j) {
    for (Index r = 0; r < 12; ++r) {
      EXPECT_LT(std::abs(factors.maps.data()[r] * factors.courses.data()[j] - std::exp(-50 * times.data()[j])), 1e-13);
    }
  }
}

TEST(SignalEvolution, RefusesWhatDoesNotFit) {
  const Context ctx;
  const auto map = random_map(ctx, {4, 6}, 10, 20, 1);
  const auto times = scattered_times(ctx, 30);
  const auto signal = exponential_signal(ctx, map, {});
  const auto factors = [&] { return evolution_factors<double>(ctx, signal, times, 1e-3); };
  EXPECT_THROW(evolution_factors<double>(ctx, signal, times, 1e-7), ValueError);
  EXPECT_THROW(evolution_factors<double>(ctx, signal, times, 1), ValueError);
  EXPECT_THROW(evolution_factors<double>(ctx, signal, Array<double>(ctx, {2, 3}), 1e-3), ShapeError);
  EXPECT_THROW(exponential_signal(ctx, {}, {}), ShapeError);
  EXPECT_THROW(exponential_signal(ctx, map, random_map(ctx, {6, 4}, 0, 1, 1)), ShapeError);
  EXPECT_THROW(biexponential_signal(ctx, map, map, random_map(ctx, {6, 4}, 0, 1, 1)), ShapeError);
  EXPECT_THROW(tissue_signal(ctx, map, std::vector<TissueDecay>(3, {0, 0, 50})), ShapeError);
  EXPECT_THROW(tissue_signal(ctx, map, std::vector<TissueDecay>(4, {0.6, 0, 50})), ValueError);
  EXPECT_THROW(tissue_signal(ctx, map, std::vector<TissueDecay>(4, {1.6, 3, 50})), ValueError);
  for (const double wrong : {-1.0, std::nan("")}) {
    auto bad = exponential_signal(ctx, map, {});
    bad.decay_rates.data()[5] = wrong;
    EXPECT_THROW(evolution_factors<double>(ctx, bad, times, 1e-3), ValueError);
  }
  auto dark = exponential_signal(ctx, map, {});
  fill<double>(dark.amplitudes, 0);
  EXPECT_THROW(evolution_factors<double>(ctx, dark, times, 1e-3), ValueError);
  // Some 8000 Hz times 15 ms
  EXPECT_THROW(
      evolution_factors<double>(ctx, exponential_signal(ctx, {}, random_map(ctx, {4, 6}, -4000, 4000, 1)), times, 1e-3),
      ValueError);

  const auto other_image = std::make_shared<const Dft<double>>(ctx, test::random_points(ctx, 30, 2), Shape{6, 4}, 2);
  const auto other_samples = std::make_shared<const Dft<double>>(ctx, test::random_points(ctx, 31, 2), Shape{4, 6}, 2);
  EXPECT_THROW(SignalEvolution<double>(other_image, factors()), ShapeError);
  EXPECT_THROW(SignalEvolution<double>(other_samples, factors()), ShapeError);
  EXPECT_THROW(SignalEvolution<double>(other_image, EvolutionFactors<double>{}), ShapeError);
}

// PowerGrid's simulation of a spiral in an inhomogeneous field: sum_r f(r) exp(-2 pi i (kx X + ky Y)) exp(-i FM t), X
// and Y in fields of view from the middle between pixels, t = 5 us times the number of the sample, FM in rad/s.
TEST(SignalEvolution, PowerGridsDataInAFieldAreThoseOfItsMap) {
  const char* data = std::getenv("WHORL_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: PowerGrid's simulation is not there";
  const Context ctx({.threads = 2});
  const auto read = [&]<class T>(const std::string& name) {
    const auto path = std::filesystem::path(data) / "mri" / "powergrid_spiral_fieldmap" / (name + ".mat");
    return converted<T>(ctx, read_array(ctx, path).values, name);
  };
  const auto kx = read.operator()<double>("kx_sp");
  const auto ky = read.operator()<double>("ky_sp");
  // MATLAB's [row y, column x] is column by column in memory: read as [x, y], whose last axis is y.
  Array<double> points(ctx, {kx.size(), 2});
  Array<double> times(ctx, {kx.size()});
  for (Index j = 0; j < kx.size(); ++j) {
    points.data()[2 * j] = ky.data()[j] / 64;
    points.data()[2 * j + 1] = kx.data()[j] / 64;
    times.data()[j] = 5e-6 * static_cast<double>(j);
  }
  auto hertz = read.operator()<float>("FM");
  for (float& value : hertz.span()) value = static_cast<float>(value / turn);
  auto image = read.operator()<Complex>("imagePhantom");
  image.reshape({1, 64, 64});
  auto expected = read.operator()<Complex>("data_onecoil_FM");
  expected.reshape({1, kx.size()});

  auto factors = evolution_factors<double>(ctx, exponential_signal(ctx, {}, hertz), times, 1e-6);
  const SignalEvolution<double> evolution(std::make_shared<const Dft<double>>(ctx, points, Shape{64, 64}, 1),
                                          std::move(factors));
  Array<Complex> samples(ctx, evolution.range());
  evolution.forward(ctx, image, samples);
  // whorl's origin is pixel 32, and its transform has 1/sqrt(voxels).
  for (Index j = 0; j < samples.size(); ++j) {
    samples.data()[j] *= std::polar(64.0, -turn * 0.5 * (points.data()[2 * j] + points.data()[2 * j + 1]));
  }
  // The file's authors computed in float: the direct sum in double differs from it by 2e-5 to 3e-5 of its norm, where
  // the factors add 1e-6.
  EXPECT_LT(test::relative_error(samples, expected), 5e-5);
}

}  // namespace
}  // namespace whorl
