// Fits of relaxation to series whose times are known.
#include "whorl/fit/relaxation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

const std::vector<double> echoes{70, 10, 25, 45, 100, 150};  // in no order
const std::vector<double> inversions{50, 150, 400, 800, 1500, 2500, 4000};

// [time, y, x]: voxel r has the amplitude 1 + r and the time `of(r)`.
template <class Of, class Value>
Array<float> series(const Context& ctx, const std::vector<double>& times, const Of& of, const Value& value) {
  Array<float> made(ctx.host(), {static_cast<Index>(times.size()), 7, 9});
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (Index r = 0; r < 63; ++r) {
      made.data()[static_cast<Index>(i) * 63 + r] = static_cast<float>(value(1 + 0.1 * double(r), of(r), times[i]));
    }
  }
  return made;
}

// Values are rounded to float, 6e-8; the time's error is that times the condition of the fit, some 10 for these times.
constexpr double rounding = 1e-5;

TEST(Relaxation, FindsTheTimesOfADecay) {
  const Context ctx = test::device_context();
  const auto t2 = [](Index r) { return 20 + 2.0 * double(r); };
  const auto data = series(ctx, echoes, t2, [](double a, double t2_ms, double t) { return a * std::exp(-t / t2_ms); });
  const auto maps = fit_relaxation(ctx, data, echoes, RelaxationModel::decay);
  EXPECT_EQ(maps.failed, 0);
  EXPECT_EQ(maps.fitted, 63);
  for (Index r = 0; r < 63; ++r) {
    EXPECT_NEAR(maps.time.data()[r] / t2(r), 1, rounding) << r;
    EXPECT_NEAR(maps.amplitude.data()[r] / (1 + 0.1 * double(r)), 1, rounding) << r;
  }
}

TEST(Relaxation, FindsTheTimesOfARecoveryWithAndWithoutSigns) {
  const Context ctx = test::device_context();
  const auto t1 = [](Index r) { return 250 + 30.0 * double(r); };
  const auto signal = [](double a, double t1_ms, double t) { return a * (1 - 1.9 * std::exp(-t / t1_ms)); };
  const auto with_signs = series(ctx, inversions, t1, signal);
  const auto magnitudes =
      series(ctx, inversions, t1, [&](double a, double t1_ms, double t) { return std::abs(signal(a, t1_ms, t)); });
  for (const auto* data : {&with_signs, &magnitudes}) {
    const auto maps = fit_relaxation(ctx, *data, inversions, RelaxationModel::recovery);
    EXPECT_EQ(maps.fitted, 63);
    for (Index r = 0; r < 63; ++r) {
      EXPECT_NEAR(maps.time.data()[r] / t1(r), 1, rounding) << r;
      EXPECT_NEAR(maps.inversion.data()[r], 1.9, 1e-4) << r;
    }
  }
}

// Normal noise of 1 % of the amplitude on 4096 voxels of one time: the times' standard deviation is the mean error bar. An
// estimate of 4096 has a relative error of 1/sqrt(8192) = 1.1 %; with 4 of it and the fit's bend, 6 %.
TEST(Relaxation, ErrorBarsAreTheSpreadOfNoisyFits) {
  const Context ctx = test::device_context();
  const double noise = 0.01;
  for (const RelaxationModel model : {RelaxationModel::decay, RelaxationModel::recovery}) {
    const bool decay = model == RelaxationModel::decay;
    const auto& times = decay ? echoes : inversions;
    const double truth = decay ? 60 : 900;
    Array<float> data(ctx.host(), {static_cast<Index>(times.size()), 64, 64});
    for (Index i = 0; i < data.size(); ++i) {
      const double t = times[static_cast<std::size_t>(i / 4096)];
      const double e = std::exp(-t / truth);
      data.data()[i] =
          static_cast<float>((decay ? e : 1 - 2 * e) + noise * random_normal(5, static_cast<std::uint64_t>(i)));
    }
    for (const bool known : {true, false}) {
      FitOptions options;
      if (known) options.noise = noise;
      const auto maps = fit_relaxation(ctx, data, times, model, options);
      EXPECT_EQ(maps.fitted, 4096);
      double mean = 0;
      double square = 0;
      double bar = 0;
      for (Index r = 0; r < 4096; ++r) {
        mean += maps.time.data()[r] / 4096;
        square += std::pow(maps.time.data()[r] - truth, 2) / 4096;
        bar += std::pow(maps.time_error.data()[r], 2) / 4096;
      }
      const double spread = std::sqrt(square - std::pow(mean - truth, 2));
      EXPECT_NEAR(std::sqrt(bar) / spread, 1, 0.06) << decay << known;
      // The mean: 4 standard errors, and the bias of second order, (spread / T)^2 T.
      EXPECT_LT(std::abs(mean - truth), 4 * spread / 64 + 4 * spread * spread / truth);
    }
  }
}

// Both devices run the same steps in double, with exponentials that differ in the last place. A fit ends with a step of less
// than 1e-8 of the signal, after which the error is smaller still, so that maps differ by the rounding to float, 6e-8 on each
// side. One voxel in each image has no object, one grows.
TEST(Relaxation, DevicesAgree) {
  const Context ctx = test::device_context();
  for (const RelaxationModel model : {RelaxationModel::decay, RelaxationModel::recovery}) {
    const auto& times = model == RelaxationModel::decay ? echoes : inversions;
    auto data = series(
        ctx, times, [](Index r) { return 60 + 9.0 * double(r); },
        [&](double a, double t_ms, double t) {
          return a * (model == RelaxationModel::decay ? std::exp(-t / t_ms) : 1 - 1.9 * std::exp(-t / (10 * t_ms)));
        });
    for (Index i = 0; i < data.size(); ++i) {
      data.data()[i] += static_cast<float>(0.01 * random_normal(2, static_cast<std::uint64_t>(i)));
      if (i % 63 == 5) data.data()[i] = 0;
      if (i % 63 == 11) data.data()[i] = static_cast<float>(i);
    }
    const auto here = fit_relaxation(ctx.host(), data, times, model);
    const auto there = fit_relaxation(ctx, data, times, model);
    EXPECT_EQ(here.fitted, there.fitted);
    EXPECT_EQ(here.failed, there.failed);
    for (Index r = 0; r < 63; ++r) {
      EXPECT_NEAR(there.time.data()[r], here.time.data()[r], 2e-7 * std::abs(here.time.data()[r])) << r;
      EXPECT_NEAR(there.time_error.data()[r], here.time_error.data()[r], 2e-7 * std::abs(here.time_error.data()[r]))
          << r;
    }
  }
}

TEST(Relaxation, LeavesOutAndRefuses) {
  const Context ctx = test::device_context();
  auto data = series(
      ctx, echoes, [](Index) { return 50.0; },
      [](double a, double t2_ms, double t) { return a * std::exp(-t / t2_ms); });
  for (std::size_t i = 0; i < echoes.size(); ++i) {
    data.data()[static_cast<Index>(i) * 63] = 0;                                               // dark
    data.data()[static_cast<Index>(i) * 63 + 1] = 1 + 0.01F * static_cast<float>(echoes[i]);   // grows
    data.data()[static_cast<Index>(i) * 63 + 2] = std::nextafter(0.7F, i == 0 ? 0.0F : 0.7F);  // falls by its rounding
  }
  const auto maps = fit_relaxation(ctx, data, echoes, RelaxationModel::decay);
  EXPECT_EQ(maps.fitted, 60);
  EXPECT_EQ(maps.failed, 2);
  for (Index r = 0; r < 3; ++r) EXPECT_EQ(maps.time.data()[r], 0) << r;
  const std::vector<double> two{10, 20};
  EXPECT_THROW(fit_relaxation(ctx, data, two, RelaxationModel::decay), ShapeError);
  const std::vector<double> twice{70, 10, 25, 45, 10, 150};
  EXPECT_THROW(fit_relaxation(ctx, data, twice, RelaxationModel::decay), ValueError);
  const Array<float> few = zeros<float>(ctx.host(), {2, 7, 9});
  EXPECT_THROW(fit_relaxation(ctx, few, two, RelaxationModel::decay), ValueError);
  data.data()[5] = std::nanf("");
  EXPECT_THROW(fit_relaxation(ctx, data, echoes, RelaxationModel::decay), ValueError);
}

}  // namespace
}  // namespace whorl
