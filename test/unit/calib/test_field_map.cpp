// Field maps of echoes whose field is known.
#include "whorl/calib/field_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "support/read_fld.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

using Place = std::array<double, 3>;  // x, y, z from -1 to 1
using Value = std::function<double(const Place&)>;

struct FieldProblem {
  Shape image;  // [(z,) y, x]
  Value field;
  Value density;
  std::vector<double> times;
  Index coils = 3;
  double noise = 0;
  double r2_star = 0;

  Place place(Index r) const {
    Place at{};
    for (int axis = 0; axis < image.rank(); ++axis) {
      const Index n = image[image.rank() - 1 - axis];
      at[static_cast<std::size_t>(axis)] = 2 * (static_cast<double>(r % n) + 0.5) / static_cast<double>(n) - 1;
      r /= n;
    }
    return at;
  }

  // Coils with phases of their own, that vary in space.
  Array<std::complex<float>> echoes(const Context& ctx, std::uint64_t seed = 1) const {
    const auto count = static_cast<Index>(times.size());
    Array<std::complex<float>> made(ctx, image.with_front(coils).with_front(count));
    for (Index i = 0; i < made.size(); ++i) {
      const Index r = i % image.size();
      const Index c = i / image.size() % coils;
      const double t = times[static_cast<std::size_t>(i / image.size() / coils)];
      const Place at = place(r);
      const double sensitivity = 1 + 0.5 * std::cos(2 * at[0] + static_cast<double>(c));
      const double phase = 1.5 * at[1] + 2 * static_cast<double>(c) - 2 * std::numbers::pi * field(at) * t;
      const auto j = static_cast<std::uint64_t>(2 * i);
      made.data()[i] =
          std::complex<float>(std::polar(density(at) * sensitivity * std::exp(-r2_star * t), phase) +
                              noise * std::complex<double>(random_normal(seed, j), random_normal(seed, j + 1)));
    }
    return made;
  }
};

double disc(const Place& at) { return std::hypot(at[0] / 0.85, at[1] / 0.9, at[2] / 0.95) < 1 ? 1 : 0; }

struct FieldErrors {
  double root_mean_square = 0;
  double largest = 0;
};

FieldErrors errors_of(const FieldProblem& problem, const FieldMap& map) {
  FieldErrors errors;
  double count = 0;
  for (Index r = 0; r < problem.image.size(); ++r) {
    if (problem.density(problem.place(r)) == 0) continue;
    const double error = map.hertz.data()[r] - problem.field(problem.place(r));
    errors.root_mean_square += error * error;
    errors.largest = std::max(errors.largest, std::abs(error));
    ++count;
  }
  errors.root_mean_square = std::sqrt(errors.root_mean_square / count);
  return errors;
}

// 900 Hz across the object, echoes 2.5 ms apart: 2.3 turns, and 4.5 of the longest spacing. Without noise and smoothness the
// phases of the products give the field to the rounding of float, 1e-7 of a turn.
TEST(FieldMap, UnwrapsAFieldOfSeveralTurns) {
  const Context ctx({.threads = 2});
  const auto field = [](const Place& at) { return 450 * std::sin(1.4 * at[0]) + 150 * at[1] * at[1] - 40 * at[2]; };
  for (const Shape& image : {Shape{56, 61}, Shape{20, 30, 33}}) {
    FieldProblem problem{image, field, disc, {2.5e-3, 5e-3, 7.5e-3}};
    problem.r2_star = 40;
    const auto map = estimate_field_map(ctx, problem.echoes(ctx), problem.times, {.smoothness = 0});
    EXPECT_EQ(map.regions, 1);
    EXPECT_LT(errors_of(problem, map).largest, 0.01);
    EXPECT_GT(map.agreement, 0.9999);
  }
}

// Noise of a tenth of the signal of a coil at the worst place. Where the field is smooth over several pixels its error is
// below that of each voxel alone: the mean error bar.
TEST(FieldMap, SmoothnessLessensTheErrorOfNoise) {
  const Context ctx({.threads = 2});
  const auto field = [](const Place& at) { return 300 * at[0] - 120 * at[0] * at[1]; };
  FieldProblem problem{{64, 60}, field, disc, {2e-3, 4e-3, 7e-3}};
  problem.noise = 0.1;
  const auto echoes = problem.echoes(ctx);
  const auto rough = estimate_field_map(ctx, echoes, problem.times, {.smoothness = 0, .noise = 0.1});
  const auto smooth = estimate_field_map(ctx, echoes, problem.times, {.smoothness = 1, .noise = 0.1});
  const double without = errors_of(problem, rough).root_mean_square;
  const double with = errors_of(problem, smooth).root_mean_square;
  std::printf("field map: error %.2f Hz, smoothed %.2f Hz\n", without, with);
  EXPECT_LT(with, 0.6 * without);
  // No voxel is a turn off: 143 Hz of the longest spacing, 500 Hz of the shortest.
  EXPECT_LT(errors_of(problem, rough).largest, 60);
}

// The error bars are the spread of maps of the same object with other noise, at the voxels together: 3000 voxels of 6 maps
// give it with a relative error of 1/sqrt(36000) = 0.5 %; the bound of Cramer and Rao holds for small noise, whose square, 1 %
// of the signal's, is left out. 4 % covers both.
TEST(FieldMap, ErrorBarsAreTheSpread) {
  const Context ctx({.threads = 2});
  FieldProblem problem{{64, 60}, [](const Place& at) { return 80 * at[1]; }, disc, {1e-3, 3e-3, 4e-3}, 2};
  problem.noise = 0.05;
  problem.r2_star = 30;
  double bars = 0;
  double squares = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const auto map =
        estimate_field_map(ctx, problem.echoes(ctx, seed), problem.times, {.smoothness = 0, .noise = 0.05});
    for (Index r = 0; r < problem.image.size(); ++r) {
      if (disc(problem.place(r)) == 0) continue;
      squares += std::pow(map.hertz.data()[r] - problem.field(problem.place(r)), 2);
      bars += std::pow(map.error.data()[r], 2);
    }
  }
  EXPECT_NEAR(std::sqrt(bars / squares), 1, 0.04);
}

// Two objects apart, one 700 Hz off: more than the 500 Hz after which the shortest spacing, 2 ms, repeats. The other spacing,
// 2.3 ms, tells; with echoes at equal distance nothing does, and the map is that nearest to 0, as is said.
TEST(FieldMap, OtherSpacingsPlaceRegions) {
  const Context ctx({.threads = 2});
  const auto density = [](const Place& at) { return std::abs(std::abs(at[0]) - 0.5) < 0.35 && std::abs(at[1]) < 0.8; };
  const auto field = [](const Place& at) { return (at[0] > 0 ? 700 : -20) + 60 * at[1]; };
  FieldProblem problem{{40, 48}, field, density, {1e-3, 3e-3, 5.3e-3}};
  problem.noise = 0.02;
  auto map = estimate_field_map(ctx, problem.echoes(ctx), problem.times, {.smoothness = 0.5});
  EXPECT_EQ(map.regions, 2);
  EXPECT_LT(errors_of(problem, map).largest, 10);
  problem.times = {1e-3, 3e-3, 5e-3};
  map = estimate_field_map(ctx, problem.echoes(ctx), problem.times, {.smoothness = 0.5});
  EXPECT_NEAR(errors_of(problem, map).largest, 500, 10);
}

// Outside the object the field continues: a slope stays a slope.
TEST(FieldMap, ContinuesOutsideTheObject) {
  const Context ctx({.threads = 2});
  FieldProblem problem{{40, 42}, [](const Place& at) { return 100 * at[0]; }, disc, {2e-3, 4e-3}};
  const auto map = estimate_field_map(ctx, problem.echoes(ctx), problem.times);
  for (Index r = 0; r < problem.image.size(); ++r) {
    const Place at = problem.place(r);
    const double radius = std::hypot(at[0] / 0.85, at[1] / 0.9);
    // Two pixels beyond the edge: a field that stays as it is at the edge would miss 10 Hz.
    if (radius >= 1.1) continue;
    EXPECT_NEAR(map.hertz.data()[r], 100 * at[0], 5) << r;
  }
}

TEST(FieldMap, RefusesWhatDataCannotDecide) {
  const Context ctx;
  FieldProblem problem{{24, 26}, [](const Place& at) { return 100 * at[0]; }, disc, {2e-3, 4e-3}};
  const auto message = [&](const Array<std::complex<float>>& echoes, const std::vector<double>& times,
                           const FieldMapOptions& options = {}) {
    try {
      estimate_field_map(ctx, echoes, times, options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing thrown");
  };
  const auto echoes = problem.echoes(ctx);
  EXPECT_EQ(message(echoes, problem.times), "nothing thrown");
  EXPECT_NE(message(echoes, {2e-3, 2e-3}).find("equal"), std::string::npos);
  EXPECT_NE(message(echoes, {2e-3, std::nan("")}).find("not finite"), std::string::npos);
  EXPECT_NE(message(echoes, {2e-3, 4e-3, 6e-3}).find("for 3 times"), std::string::npos);
  EXPECT_NE(message(echoes, problem.times, {.smoothness = -1}).find("smoothness"), std::string::npos);
  auto bad = clone(ctx, echoes.ref());
  bad.data()[7] = std::nanf("");
  EXPECT_NE(message(bad, problem.times).find("value 7"), std::string::npos);
  EXPECT_NE(message(zeros<std::complex<float>>(ctx, echoes.shape()), problem.times).find("are 0"), std::string::npos);
  problem.times = {2e-3};
  EXPECT_NE(message(problem.echoes(ctx), problem.times).find("one echo"), std::string::npos);
  problem.times = {2e-3, 4e-3};
  problem.density = [](const Place&) { return 0; };
  problem.noise = 1;
  EXPECT_NE(message(problem.echoes(ctx), problem.times).find("little in common"), std::string::npos);
}

// A field of a brain that was measured (MIRT, -41 to 128 Hz), times 6, and the magnitude that came with it: 1000 Hz with echoes
// 1.5 and 4 ms apart, noise of 2 % of the largest magnitude. Where the signal is a fifth of the largest or more, a voxel's
// own error is 2 % / 20 % / (2 pi 4 ms sqrt(2/3)) = 5 Hz at most.
TEST(FieldMap, FindsAMeasuredField) {
  const char* data = std::getenv("WHORL_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set: MIRT's field map is not there";
  const Context ctx({.threads = 2});
  const auto folder = std::filesystem::path(data) / "mri" / "mirt_fieldmap";
  const Array<float> field = test::read_fld(ctx, folder / "fieldmap128.fld");
  const Array<float> magnitude = test::read_fld(ctx, folder / "mag128.fld");
  const float largest = *std::max_element(magnitude.span().begin(), magnitude.span().end());
  const std::vector<double> times{1e-3, 2.5e-3, 6.5e-3};
  Array<std::complex<float>> echoes(ctx, {3, 1, 128, 128});
  for (Index i = 0; i < echoes.size(); ++i) {
    const Index r = i % field.size();
    const double phase =
        -2 * std::numbers::pi * 6 * field.data()[r] * times[static_cast<std::size_t>(i / field.size())];
    const auto j = static_cast<std::uint64_t>(2 * i);
    echoes.data()[i] = std::complex<float>(std::polar(double{magnitude.data()[r]} / double{largest}, phase) +
                                           0.02 * std::complex<double>(random_normal(9, j), random_normal(9, j + 1)));
  }
  const auto map = estimate_field_map(ctx, echoes, times, {.threshold = 0.15, .smoothness = 0.3});
  double square = 0;
  double most = 0;
  double count = 0;
  for (Index r = 0; r < field.size(); ++r) {
    if (magnitude.data()[r] < 0.2F * largest) continue;
    const double error = map.hertz.data()[r] - 6 * field.data()[r];
    square += error * error;
    most = std::max(most, std::abs(error));
    ++count;
  }
  std::printf("measured field: error %.2f Hz, at most %.1f Hz, %g voxels, %ld regions\n", std::sqrt(square / count),
              most, count, static_cast<long>(map.regions));
  EXPECT_LT(std::sqrt(square / count), 5);
  // None is a turn of the longest spacing off, 182 Hz.
  EXPECT_LT(most, 91);
}

}  // namespace
}  // namespace whorl
