// Water and fat in a phantom that is known: fields of several hundred Hz, parts of water, of fat and of both.
#include "whorl/fit/water_fat.hpp"

#include <gtest/gtest.h>

#include <array>

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>

#include "support/device.hpp"
#include "whorl/calib/field_map.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

struct Tissue {
  double water = 0;
  double fat = 0;
  double r2_star = 0;
};

// [y, x] with coordinates from -1 to 1: a disc of water with a ring of fat, a part with both, and a bowl of fat apart from them.
struct Body {
  Index height = 60;
  Index width = 70;
  double strength = 3;
  std::vector<double> times{1.1e-3, 2.2e-3, 3.3e-3, 4.4e-3, 5.5e-3, 6.6e-3};
  double noise = 0;
  double sign = -1;  // of the phases

  double x(Index r) const { return 2 * (static_cast<double>(r % width) + 0.5) / static_cast<double>(width) - 1; }
  double y(Index r) const { return 2 * (static_cast<double>(r / width) + 0.5) / static_cast<double>(height) - 1; }
  Tissue tissue(Index r) const {
    if (std::hypot((x(r) + 0.2) / 0.55, y(r) / 0.7) < 1) {
      if (std::hypot(x(r) + 0.35, y(r) - 0.1) < 0.25) return {0.6, 0.4, 120};
      return {1, 0, 40};
    }
    if (std::hypot((x(r) + 0.2) / 0.75, y(r) / 0.95) < 1) return {0, 0.9, 60};
    if (std::hypot((x(r) - 0.8) / 0.17, y(r) / 0.6) < 1) return {0.1, 0.9, 30};
    return {};
  }
  double field(Index r) const { return 200 * std::sin(2.3 * x(r)) + 90 * y(r) * x(r) - 40 * y(r); }
  // Frequencies as published: ppm of each peak, water at 4.7, 42.577 MHz/T.
  Complex fat_at(double t) const {
    const std::vector<std::pair<double, double>> peaks{{5.3, 0.047}, {4.2, 0.039}, {2.75, 0.006},
                                                       {2.1, 0.120}, {1.3, 0.700}, {0.9, 0.088}};
    Complex sum = 0;
    for (const auto& [ppm, amplitude] : peaks) {
      sum += amplitude * std::exp(Complex(0, sign * 2 * std::numbers::pi * (ppm - 4.7) * 42.577478 * strength * t));
    }
    return sum;
  }
  Complex signal(Index r, double t) const {
    const Tissue here = tissue(r);
    const Complex start = std::polar(1.0, 0.7 + x(r));
    return start * (here.water + here.fat * fat_at(t)) *
           std::exp(Complex(-here.r2_star * t, sign * 2 * std::numbers::pi * field(r) * t));
  }
  Array<std::complex<float>> echoes(const Context& ctx, std::uint64_t seed = 1) const {
    const Index voxels = height * width;
    Array<std::complex<float>> made(ctx.host(), {static_cast<Index>(times.size()), height, width});
    for (Index i = 0; i < made.size(); ++i) {
      const auto j = static_cast<std::uint64_t>(2 * i);
      made.data()[i] = std::complex<float>(signal(i % voxels, times[static_cast<std::size_t>(i / voxels)]) +
                                           noise * Complex(random_normal(seed, j), random_normal(seed, j + 1)));
    }
    return made;
  }
  double fraction(Index r) const { return tissue(r).fat / (tissue(r).water + tissue(r).fat); }
};

WaterFatMaps fit(const Context& ctx, const Body& body, WaterFatOptions options = {}, std::uint64_t seed = 1) {
  options.field_strength = body.strength;
  return fit_water_fat(ctx, body.echoes(ctx, seed), body.times, liver_fat(), options);
}

// Exact data in float, 6e-8, times the condition of the fit, below 100.
TEST(WaterFat, FindsBothWithoutSwaps) {
  const Context ctx = test::device_context();
  Body body;
  for (const double sign : {-1.0, 1.0}) {
    body.sign = sign;
    const auto maps = fit(ctx, body, {.opposite = sign > 0});
    EXPECT_EQ(maps.failed, 0);
    for (Index r = 0; r < body.height * body.width; ++r) {
      const Tissue truth = body.tissue(r);
      if (truth.water + truth.fat == 0) {
        EXPECT_EQ(maps.water.data()[r], 0);
        continue;
      }
      ASSERT_NEAR(maps.field.data()[r], body.field(r), 1e-2) << r;
      ASSERT_NEAR(maps.water.data()[r], truth.water, 1e-5) << r;
      ASSERT_NEAR(maps.fat.data()[r], truth.fat, 1e-5) << r;
      ASSERT_NEAR(maps.fraction.data()[r], body.fraction(r), 1e-5) << r;
      ASSERT_NEAR(maps.r2_star.data()[r], truth.r2_star, 1e-2) << r;
    }
  }
}

// Noise of a tenth of the signal. A swap is a field that is wrong by 200 Hz or more: the minima of a voxel lie that far apart;
// noise alone moves a field by some Hz.
TEST(WaterFat, NoiseMakesNoSwaps) {
  const Context ctx = test::device_context();
  for (const double strength : {1.5, 3.0}) {
    Body body;
    body.strength = strength;
    if (strength < 2) body.times = {1.2e-3, 3.2e-3, 5.2e-3, 7.2e-3, 9.2e-3, 11.2e-3};
    body.noise = 0.1;
    const auto maps = fit(ctx, body, {.threshold = 0.35});
    Index swaps = 0;
    Index voxels = 0;
    for (Index r = 0; r < body.height * body.width; ++r) {
      const Tissue truth = body.tissue(r);
      if (truth.water + truth.fat == 0 || maps.field.data()[r] == 0) continue;
      ++voxels;
      swaps += std::abs(maps.field.data()[r] - body.field(r)) > 100 * strength / 1.5 ? 1 : 0;
    }
    EXPECT_GT(voxels, 2000);
    EXPECT_EQ(swaps, 0) << strength;
  }
}

// Without the smoothness the same voxels do swap: the test above is one of the smoothness.
TEST(WaterFat, WithoutSmoothnessNoiseSwaps) {
  const Context ctx = test::device_context();
  Body body;
  body.noise = 0.1;
  const auto maps = fit(ctx, body, {.threshold = 0.35, .smoothness = 0});
  Index swaps = 0;
  for (Index r = 0; r < body.height * body.width; ++r) {
    const Tissue truth = body.tissue(r);
    if (truth.water + truth.fat == 0 || maps.field.data()[r] == 0) continue;
    swaps += std::abs(maps.field.data()[r] - body.field(r)) > 200 ? 1 : 0;
  }
  EXPECT_GT(swaps, 20);
}

// The voxels of three replicas, SNR 50: 190 and more of the part with both, 1000 and more of water. The standard deviation of n
// numbers has a relative error of 1/sqrt(2n), 3.0 % of 570; four of it.
TEST(WaterFat, ErrorBarsAreTheSpread) {
  const Context ctx = test::device_context();
  Body body;
  body.noise = 0.02;
  for (const bool known : {true, false}) {
    double count = 0;
    std::array<double, 5> square{};
    std::array<double, 5> bars{};
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      WaterFatOptions options;
      if (known) options.noise = body.noise;
      const auto maps = fit(ctx, body, options, seed);
      for (Index r = 0; r < body.height * body.width; ++r) {
        const Tissue truth = body.tissue(r);
        if (truth.water == 0 || truth.fat == 0) continue;
        ++count;
        const auto add = [&](std::size_t k, const Array<float>& value, const Array<float>& error, double exact) {
          square[k] += std::pow(static_cast<double>(value.data()[r]) - exact, 2);
          bars[k] += std::pow(static_cast<double>(error.data()[r]), 2);
        };
        add(0, maps.water, maps.water_error, truth.water);
        add(1, maps.fat, maps.fat_error, truth.fat);
        add(2, maps.fraction, maps.fraction_error, body.fraction(r));
        add(3, maps.r2_star, maps.r2_star_error, truth.r2_star);
        add(4, maps.field, maps.field_error, body.field(r));
      }
    }
    for (std::size_t k = 0; k < 5; ++k) {
      EXPECT_NEAR(std::sqrt(bars[k] / square[k]), 1, 4 / std::sqrt(2 * count)) << k << known << " of " << count;
    }
  }
}

// Echoes 1.1 ms apart repeat after 909 Hz; the field is within 290 Hz. Fat has the field of its place, in 1e-4 turns of float.
TEST(WaterFat, WithoutFatTheFieldOfBothIsLeft) {
  const Context ctx = test::device_context();
  const Body body;
  const auto echoes = body.echoes(ctx);
  WaterFatOptions options;
  options.field_strength = body.strength;
  const auto left = without_fat(ctx, echoes, body.times, liver_fat(), fit(ctx, body), options);
  const auto field_of = [&](const Array<std::complex<float>>& from) {
    return estimate_field_map(ctx.host(), from.ref().reshape({6, 1, body.height, body.width}), body.times,
                              {.threshold = 0.05, .smoothness = 0});
  };
  const FieldMap plain = field_of(echoes);
  const FieldMap map = field_of(left);
  double worst = 0;
  double worst_plain = 0;
  for (Index r = 0; r < body.height * body.width; ++r) {
    const Tissue here = body.tissue(r);
    if (here.water + here.fat == 0) continue;
    ASSERT_EQ(map.mask.data()[r], 1);
    worst = std::max(worst, std::abs(double(map.hertz.data()[r]) - body.field(r)));
    worst_plain = std::max(worst_plain, std::abs(double(plain.hertz.data()[r]) - body.field(r)));
  }
  std::printf("largest error of the field: %.4f Hz, without fat's model %.0f Hz\n", worst, worst_plain);
  EXPECT_LT(worst, 0.1);
  EXPECT_GT(worst_plain, 100);
}

TEST(WaterFat, Refuses) {
  const Context ctx = test::device_context();
  const Body body;
  auto echoes = body.echoes(ctx);
  const auto peaks = liver_fat();
  const std::vector<double> few{1e-3, 2e-3};
  EXPECT_THROW(fit_water_fat(ctx, echoes, few, peaks), ShapeError);
  const std::vector<double> equal{1e-3, 2e-3, 2e-3, 3e-3, 4e-3, 5e-3};
  EXPECT_THROW(fit_water_fat(ctx, echoes, equal, peaks), ValueError);
  EXPECT_THROW(fit_water_fat(ctx, echoes, body.times, {{-3.4, 0.5}}), ValueError);
  const std::vector<double> three{1e-3, 2e-3, 3e-3};
  EXPECT_THROW(fit_water_fat(ctx, echoes.range(0, 3), three, peaks), ValueError);
  echoes.data()[7] = std::complex<float>(std::nanf(""), 0);
  EXPECT_THROW(fit_water_fat(ctx, echoes, body.times, peaks), ValueError);
  const auto nothing = zeros<std::complex<float>>(ctx.host(), {6, 4, 5});
  EXPECT_THROW(fit_water_fat(ctx, nothing, body.times, peaks), ValueError);
}

}  // namespace
}  // namespace whorl
