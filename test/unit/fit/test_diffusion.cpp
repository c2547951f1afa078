// Fits of diffusion to series whose tensors are known.
#include "whorl/fit/diffusion.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"

namespace whorl {
namespace {

using Direction = std::array<double, 3>;

struct Protocol {
  std::vector<double> b;
  std::vector<Direction> directions;
};

// Two images without diffusion weights, and 12 directions of a golden spiral with two b values.
Protocol protocol() {
  Protocol made{{0, 0}, {{0, 0, 0}, {0, 0, 0}}};
  for (int n = 0; n < 24; ++n) {
    const double z = 1 - (2 * (n % 12) + 1) / 12.0;
    const double angle = 2.399963229728653 * n;
    made.b.push_back(n < 12 ? 700 : 1400);
    made.directions.push_back({std::sqrt(1 - z * z) * std::cos(angle), std::sqrt(1 - z * z) * std::sin(angle), z});
  }
  return made;
}

// Eigenvalues and the first two columns of a rotation.
struct KnownTensor {
  Direction values;
  Direction first;
  Direction second;

  Direction third() const {
    return {first[1] * second[2] - first[2] * second[1], first[2] * second[0] - first[0] * second[2],
            first[0] * second[1] - first[1] * second[0]};
  }
  double along(const Direction& g) const {
    double sum = 0;
    const std::array<Direction, 3> axes{first, second, third()};
    for (std::size_t n = 0; n < 3; ++n) {
      double product = 0;
      for (std::size_t k = 0; k < 3; ++k) product += axes[n][k] * g[k];
      sum += values[n] * product * product;
    }
    return sum;
  }
  // Its definition by eigenvalues.
  double anisotropy() const {
    const double mean = (values[0] + values[1] + values[2]) / 3;
    double square = 0;
    double deviation = 0;
    for (const double value : values) {
      square += value * value;
      deviation += (value - mean) * (value - mean);
    }
    return std::sqrt(1.5 * deviation / square);
  }
};

const KnownTensor fiber{{1.7e-3, 0.4e-3, 0.3e-3}, {0.6, 0.64, 0.48}, {0.8, -0.48, -0.36}};

Array<float> series_of(const Context& ctx, const Protocol& how, const KnownTensor& tensor, Index voxels, double noise,
                       std::uint64_t seed = 1) {
  Array<float> made(ctx.host(), {static_cast<Index>(how.b.size()), 1, voxels});
  for (Index i = 0; i < made.size(); ++i) {
    const auto image = static_cast<std::size_t>(i / voxels);
    made.data()[i] = static_cast<float>(500 * std::exp(-how.b[image] * tensor.along(how.directions[image])) +
                                        noise * random_normal(seed, static_cast<std::uint64_t>(i)));
  }
  return made;
}

// Values in float, 6e-8, times the condition of the fit, some 30.
TEST(Diffusion, FindsATensorItsEigenvectorsAndItsAnisotropy) {
  const Context ctx = test::device_context();
  const Protocol how = protocol();
  const auto maps = fit_diffusion_tensor(ctx, series_of(ctx, how, fiber, 5, 0), how.b, how.directions);
  EXPECT_EQ(maps.mean.fitted, 5);
  for (Index v = 0; v < 5; ++v) {
    EXPECT_NEAR(maps.mean.diffusivity.data()[v], 0.8e-3, 0.8e-3 * 2e-6);
    EXPECT_NEAR(maps.anisotropy.data()[v], fiber.anisotropy(), 4e-6);
    EXPECT_NEAR(maps.mean.amplitude.data()[v], 500, 1e-3);
    double product = 0;
    for (std::size_t n = 0; n < 3; ++n) {
      EXPECT_NEAR(maps.eigenvalues.data()[static_cast<Index>(n) * 5 + v], fiber.values[n], 1.7e-3 * 4e-6);
      product += static_cast<double>(maps.eigenvectors.data()[static_cast<Index>(n) * 5 + v]) * fiber.first[n];
    }
    EXPECT_NEAR(std::abs(product), 1, 1e-5);
  }
}

TEST(Diffusion, FindsTheMeanCoefficient) {
  const Context ctx = test::device_context();
  const std::vector<double> b{0, 500, 1000, 1000};  // equal ones are allowed
  Array<float> series(ctx.host(), {4, 3, 5});
  for (Index i = 0; i < series.size(); ++i) {
    const double d = 0.5e-3 + 1e-4 * static_cast<double>(i % 15);
    series.data()[i] = static_cast<float>(80 * std::exp(-b[static_cast<std::size_t>(i / 15)] * d));
  }
  const auto maps = fit_diffusion(ctx, series, b);
  for (Index v = 0; v < 15; ++v) {
    EXPECT_NEAR(maps.diffusivity.data()[v] / (0.5e-3 + 1e-4 * static_cast<double>(v)), 1, 1e-5);
  }
}

// 6000 replicas of a voxel with an SNR of 50. Their standard deviations have a relative error of 1/sqrt(12000) = 0.9 %; four of
// it and the terms of second order, about (error / value)^2 = 1 %, make 5 %. Within one error bar lie 68.3 % of the replicas,
// with a standard error of 0.6 %.
TEST(Diffusion, ErrorBarsCoverTheTruth) {
  const Context ctx = test::device_context();
  const Protocol how = protocol();
  const Index replicas = 6000;
  FitOptions options;
  options.noise = 10;
  const auto maps =
      fit_diffusion_tensor(ctx, series_of(ctx, how, fiber, replicas, 10, 3), how.b, how.directions, options);
  const auto check = [&](const Array<float>& values, const Array<float>& errors, double truth) {
    double square = 0;
    double bars = 0;
    double covered = 0;
    for (Index v = 0; v < replicas; ++v) {
      const double error = static_cast<double>(values.data()[v]) - truth;
      square += error * error;
      bars += std::pow(static_cast<double>(errors.data()[v]), 2);
      covered += std::abs(error) < static_cast<double>(errors.data()[v]) ? 1.0 / static_cast<double>(replicas) : 0;
    }
    EXPECT_NEAR(std::sqrt(bars / square), 1, 0.05);
    EXPECT_NEAR(covered, 0.683, 4 * 0.006 + 0.01);
  };
  check(maps.mean.diffusivity, maps.mean.diffusivity_error, 0.8e-3);
  check(maps.anisotropy, maps.anisotropy_error, fiber.anisotropy());
  check(maps.mean.amplitude, maps.mean.amplitude_error, 500);
}

// Half of the images have ten times the noise. With their errors the fit's own are the spread, as above; and a voxel with an
// error of 0 is left out.
TEST(Diffusion, WeightsValuesByTheirErrors) {
  const Context ctx = test::device_context();
  const std::vector<double> b{0, 200, 400, 600, 800, 1000};
  const Index voxels = 5000;
  Array<float> series(ctx.host(), {6, 1, voxels});
  Array<float> errors(ctx.host(), series.shape());
  for (Index i = 0; i < series.size(); ++i) {
    const auto image = static_cast<std::size_t>(i / voxels);
    const double error = image % 2 == 0 ? 0.5 : 5;
    errors.data()[i] = static_cast<float>(error);
    series.data()[i] =
        static_cast<float>(100 * std::exp(-b[image] * 1e-3) + error * random_normal(9, static_cast<std::uint64_t>(i)));
  }
  errors.data()[3] = 0;
  const auto maps = fit_diffusion(ctx, series, b, {}, errors.ref());
  EXPECT_EQ(maps.fitted, voxels - 1);
  EXPECT_EQ(maps.diffusivity.data()[3], 0);
  double square = 0;
  double bars = 0;
  for (Index v = 0; v < voxels; ++v) {
    if (v == 3) continue;
    square += std::pow(static_cast<double>(maps.diffusivity.data()[v]) - 1e-3, 2);
    bars += std::pow(static_cast<double>(maps.diffusivity_error.data()[v]), 2);
  }
  EXPECT_NEAR(std::sqrt(bars / square), 1, 0.05);
}

TEST(Diffusion, Refuses) {
  const Context ctx = test::device_context();
  const Protocol how = protocol();
  const auto series = series_of(ctx, how, fiber, 3, 0);
  auto cone = how;
  for (std::size_t n = 2; n < cone.b.size(); ++n) {
    const double angle = static_cast<double>(n);
    cone.directions[n] = {0.6 * std::cos(angle), 0.6 * std::sin(angle), 0.8};
  }
  EXPECT_THROW(fit_diffusion_tensor(ctx, series, cone.b, cone.directions), ValueError);
  auto longer = how;
  longer.directions[7][1] *= 1.5;
  longer.directions[7][0] += 0.5;
  EXPECT_THROW(fit_diffusion_tensor(ctx, series, longer.b, longer.directions), ValueError);
  EXPECT_THROW(fit_diffusion_tensor(ctx, series, how.b, std::span(how.directions).first(5)), ShapeError);
  const std::vector<double> equal(how.b.size(), 1000);
  EXPECT_THROW(fit_diffusion(ctx, series, equal), ValueError);
  FitOptions noise;
  noise.noise = 1;
  EXPECT_THROW(fit_diffusion(ctx, series, how.b, noise, series.ref()), ValueError);
  const Array<float> wrong = zeros<float>(ctx.host(), {4, 4});
  EXPECT_THROW(fit_diffusion(ctx, series, how.b, {}, wrong.ref()), ShapeError);
}

}  // namespace
}  // namespace whorl
