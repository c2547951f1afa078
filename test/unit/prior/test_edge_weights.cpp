#include "whorl/prior/edge_weights.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "whorl/core/random.hpp"
#include "whorl/phantom/brain.hpp"

namespace whorl {
namespace {

Array<float> filled(const Context& ctx, const Shape& shape, const std::function<double(Index)>& value) {
  Array<float> image(ctx.host(), shape);
  for (Index i = 0; i < image.size(); ++i) image.data()[i] = static_cast<float>(value(i));
  return image;
}

EdgeWeights weights_of(const Context& ctx, std::initializer_list<const Array<float>*> references,
                       const EdgeOptions& options = {}) {
  std::vector<ArrayRef<const float>> list;
  for (const Array<float>* reference : references) list.push_back(reference->ref());
  return edge_weights(ctx, list, options);
}

// The formula is worked out in double and rounded to float three times: the sum, the root and the quotient.
constexpr double rounding = 4 * std::numeric_limits<float>::epsilon();

// 4 planes of 3 rows of 5 columns: the value is 10 and grows by 1, 2, 4 at one step of z, y, x each. More than half of
// the differences are 0, so that their quartile, and with it the noise, is 0: delta is a part of the median of the
// values.
TEST(EdgeWeights, StepsAlongEachAxis) {
  const Context ctx;
  const Shape shape{4, 3, 5};
  const Array<float> image = filled(ctx, shape, [](Index i) {
    const Index x = i % 5;
    const Index y = i / 5 % 3;
    const Index z = i / 15;
    return 10 + (z >= 2 ? 1 : 0) + (y >= 1 ? 2 : 0) + (x >= 4 ? 4 : 0);
  });
  // Sorted values: of 60, the 30th (floor(0.5 * 59) = 29 from 0). Without the 4: 10, 11, 12, 13 at 8, 8, 16, 16 voxels,
  // so that it is 12.
  const double delta = 0.1 * 12;
  const EdgeWeights made = weights_of(ctx, {&image}, {.contrast = 0.1});
  ASSERT_EQ(made.weights.shape(), shape.with_front(3));
  ASSERT_EQ(made.deltas.size(), 1U);
  EXPECT_NEAR(made.deltas[0], delta, 1e-12);
  const auto w = made.weights.view<4>();
  const auto expected = [&](double step) { return 1 / std::sqrt(1 + std::pow(step / delta, 2)); };
  for (Index z = 0; z < 4; ++z) {
    for (Index y = 0; y < 3; ++y) {
      for (Index x = 0; x < 5; ++x) {
        EXPECT_NEAR(w(0, z, y, x), expected(z == 1 ? 1 : 0), rounding);
        EXPECT_NEAR(w(1, z, y, x), expected(y == 0 ? 2 : 0), rounding);
        EXPECT_NEAR(w(2, z, y, x), expected(x == 3 ? 4 : 0), rounding);
      }
    }
  }
  // Steps of 2 and 4 are beyond delta, that of 1 is not: 20 + 12 of 45 + 40 + 48 differences.
  EXPECT_DOUBLE_EQ(made.halved, 32.0 / 133);
}

TEST(EdgeWeights, ReferencesAddUp) {
  const Context ctx;
  const Shape shape{6, 8};
  const Array<float> rows = filled(ctx, shape, [](Index i) { return i / 8 < 3 ? 100 : 90; });
  const Array<float> columns = filled(ctx, shape, [](Index i) { return i % 8 < 4 ? -2 : -3; });
  const Array<float> both = filled(ctx, shape, [](Index i) { return i / 8 < 3 ? 5 : 4; });
  const EdgeWeights one = weights_of(ctx, {&rows});
  const EdgeWeights all = weights_of(ctx, {&rows, &columns, &both});
  ASSERT_EQ(all.deltas.size(), 3U);
  EXPECT_EQ(all.deltas[0], one.deltas[0]);
  const auto w = all.weights.view<3>();
  const double across = std::pow(10 / all.deltas[0], 2) + std::pow(1 / all.deltas[2], 2);
  EXPECT_NEAR(w(0, 2, 1), 1 / std::sqrt(1 + across), rounding);
  EXPECT_NEAR(w(1, 2, 3), 1 / std::sqrt(1 + std::pow(1 / all.deltas[1], 2)), rounding);
  EXPECT_EQ(w(0, 1, 1), 1);
  EXPECT_EQ(w(1, 2, 2), 1);
  EXPECT_EQ(w(0, 5, 1), 1);
}

// A plane of noise of standard deviation s: differences have s sqrt(2), and the lower quartile of their magnitude tells
// it. The quartile of n independent ones is off by sqrt(1/4 * 3/4 / n) / (0.758 * 0.3186) = 1.79 / sqrt(n) of itself, 0.758
// being the density of |normal| there; each difference is correlated by 1/2 in size with six others, so that even
// functions of them are by 1/4 at most, and 1 + 6/4 times the variance is left.
TEST(EdgeWeights, TheNoiseIsMeasured) {
  const Context ctx;
  const Shape shape{150, 170};
  const double s = 3;
  const Array<float> image =
      filled(ctx, shape, [&](Index i) { return 100 + s * random_normal(8, static_cast<std::uint64_t>(i)); });
  const EdgeWeights made = weights_of(ctx, {&image}, {.contrast = 1e-6});
  const double count = 2.0 * 150 * 170;
  const double off = 5 * 1.79 * std::sqrt(2.5 / count);
  EXPECT_NEAR(made.deltas[0] / (s * std::sqrt(2.0)), 1, off);
  // Beyond one standard deviation are 31.7 % of normal numbers, between 28.8 % and 34.9 % with a delta off by that much
  // (6.3 %), and five standard deviations of the count more, 1.7 %.
  EXPECT_GT(made.halved, 0.27);
  EXPECT_LT(made.halved, 0.366);
}

// The brain with noise of standard deviation 0.01, a hundredth of white matter. Differences within a tissue are noise,
// of standard deviation 0.014; delta is at least that, so that 95 % of them have w^2 above 1 / (1 + 1.96^2) = 0.206 and
// half of them above 1 / (1 + 0.6745^2) = 0.687. Differences of more than 0.15 are edges: 95 % of them count less than half,
// half of them less than 1/5, that is, they are beyond twice delta.
TEST(EdgeWeights, TissueEdgesAreTold) {
  const Context ctx;
  const Array<float> truth = rasterize<float>(ctx, brain_phantom(2), {96, 90, 1}, 8);
  const Array<float> image = filled(ctx, truth.shape(), [&](Index i) {
    return truth.data()[i] + 0.01 * random_normal(3, static_cast<std::uint64_t>(i));
  });
  const EdgeWeights made = weights_of(ctx, {&image});
  std::vector<double> within;
  std::vector<double> across;
  const auto x = truth.view<2>();
  const auto w = made.weights.view<3>();
  for (Index row = 0; row < 90; ++row) {
    for (Index column = 0; column + 1 < 96; ++column) {
      const double step = std::abs(x(row, column + 1) - x(row, column));
      const double square = std::pow(w(1, row, column), 2);
      if (step == 0) within.push_back(square);
      if (step > 0.15) across.push_back(square);
    }
  }
  const auto part = [](std::vector<double>& values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size()))];
  };
  ASSERT_GT(within.size(), 1000U);
  ASSERT_GT(across.size(), 1000U);
  EXPECT_GT(part(within, 0.05), 0.2);
  EXPECT_GT(part(within, 0.5), 0.68);
  EXPECT_LT(part(across, 0.95), 0.5);
  EXPECT_LT(part(across, 0.5), 0.2);
}

TEST(EdgeWeights, WhatShowsNothingIsRefused) {
  const Context ctx;
  const Array<float> good = filled(ctx, {4, 5}, [](Index i) { return 1 + i % 2; });
  const Array<float> turned = filled(ctx, {5, 4}, [](Index) { return 1; });
  const Array<float> zero = filled(ctx, {4, 5}, [](Index) { return 0; });
  const Array<float> line = filled(ctx, {20}, [](Index) { return 1; });
  const Array<float> broken = filled(ctx, {4, 5}, [](Index i) { return i == 7 ? std::nan("") : 1; });
  EXPECT_NO_THROW(weights_of(ctx, {&good, &good}));
  EXPECT_THROW(weights_of(ctx, {}), ValueError);
  EXPECT_THROW(weights_of(ctx, {&good, &turned}), ShapeError);
  EXPECT_THROW(weights_of(ctx, {&line}), ShapeError);
  EXPECT_THROW(weights_of(ctx, {&good, &zero}), ValueError);
  EXPECT_THROW(weights_of(ctx, {&broken}), ValueError);
  EXPECT_THROW(weights_of(ctx, {&good}, {.noise_factor = 0}), ValueError);
  EXPECT_THROW(weights_of(ctx, {&good}, {.noise_factor = std::nan("")}), ValueError);
  EXPECT_THROW(weights_of(ctx, {&good}, {.contrast = 0}), ValueError);
  EXPECT_THROW(weights_of(ctx, {&good}, {.contrast = 1.5}), ValueError);
}

}  // namespace
}  // namespace whorl
