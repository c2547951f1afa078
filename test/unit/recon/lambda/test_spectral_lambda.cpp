#include "whorl/recon/spectral_lambda.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "support/compare.hpp"
#include "support/device.hpp"
#include "whorl/core/error.hpp"
#include "whorl/core/random.hpp"
#include "whorl/trajectory/random_trajectory.hpp"

namespace whorl {
namespace {

constexpr Index coils = 3;

// White noise of E|d|^2 = 1 + power / coils in each sample.
template <class Real>
Array<std::complex<Real>> white_data(const Context& ctx, Index samples, double power) {
  auto data = test::random_array<Real>(ctx.host(), {coils, samples}, 3);
  double energy = 0;
  for (const auto& d : data.span()) energy += std::norm(std::complex<double>(d));
  const double scale = std::sqrt((static_cast<double>(coils) + power) * static_cast<double>(samples) / energy);
  for (auto& d : data.span()) d *= static_cast<Real>(scale);
  return clone(ctx, data.ref());
}

// A white object of power P, sampled evenly with the density D: R = N ((l P)^2 / P + D) / (D + l)^2 has its minimum
// where l P = 1, whatever D. The mean energy of a shell varies by 1 / sqrt(3 x its samples), some 1 to 10 %; over all of
// them, 0.4 %. So l is within 3 % (a step of the search) and twice that.
template <class Real>
void expect_the_inverse_of_the_power(int dim, const Shape& image) {
  const Context ctx = test::device_context();
  constexpr Index samples = 30000;
  const Trajectory trajectory = random_trajectory(ctx.host(), samples, dim, RandomRegion::box, 7);
  for (const double power : {0.5, 20.0, 3000.0}) {
    const auto data = white_data<Real>(ctx, samples, power);
    const LambdaChoice found = spectral_lambda<Real>(ctx, trajectory, image, data, 2.5);
    EXPECT_NEAR(found.lambda * 2.5 * power, 1, 0.04) << power;
    EXPECT_EQ(found.method, LambdaMethod::spectrum);
    EXPECT_TRUE(found.curve.points.empty());
  }
}

TEST(SpectralLambda, OfAWhiteObjectIsTheInverseOfItsPower) {
  expect_the_inverse_of_the_power<float>(2, {60, 80});
  expect_the_inverse_of_the_power<double>(3, {14, 20, 16});
}

// Samples at |k| = 1/2 exactly, as spokes have at one end, are no samples of the corners: they choose as if they lay just
// inside. If they counted as the corners', these would get the power of the edge, here 100 times that of the rest.
TEST(SpectralLambda, SamplesAtTheEdgeAreNotThoseOfTheCorners) {
  const Context ctx = test::device_context();
  constexpr Index samples = 4000;
  constexpr Index at_edge = 40;
  const Shape image{60, 60};
  const auto choose = [&](double edge) {
    Trajectory trajectory = random_trajectory(ctx.host(), samples, 2, RandomRegion::ball, 7);
    auto data = white_data<float>(ctx.host(), samples, 2);
    for (Index j = 0; j < at_edge; ++j) {
      const double angle = 0.1 * static_cast<double>(j);
      trajectory.points.view<2>()(j, 0) = edge * std::cos(angle);
      trajectory.points.view<2>()(j, 1) = edge * std::sin(angle);
      for (Index c = 0; c < coils; ++c) data.view<2>()(c, j) *= 10;
    }
    return spectral_lambda<float>(ctx, trajectory, image, clone(ctx, data.ref()), 1).lambda;
  };
  EXPECT_EQ(choose(0.5), choose(0.4999));
  EXPECT_NE(choose(0.55), choose(0.4999));
}

TEST(SpectralLambda, OfNoiseAloneIsTheLargest) {
  const Context ctx = test::device_context();
  const Trajectory trajectory = random_trajectory(ctx.host(), 400, 2, RandomRegion::box, 7);
  const auto silent = zeros<std::complex<float>>(ctx, {coils, 400});
  const LambdaChoice found = spectral_lambda<float>(ctx, trajectory, {20, 24}, silent, 1);
  EXPECT_NEAR(found.lambda, 10, 1e-9);
  EXPECT_NE(found.reason.find("no energy above the noise"), std::string::npos);
}

TEST(SpectralLambda, BadArguments) {
  const Context ctx = test::device_context();
  const Trajectory trajectory = random_trajectory(ctx.host(), 400, 2, RandomRegion::box, 7);
  const auto data = white_data<float>(ctx, 400, 5);
  const Shape image{20, 24};
  EXPECT_THROW(spectral_lambda<float>(ctx, trajectory, image, data, 0), ValueError);
  EXPECT_THROW(spectral_lambda<float>(ctx, trajectory, {8, 20, 24}, data, 1), ShapeError);
  EXPECT_THROW(spectral_lambda<float>(ctx, trajectory, image, white_data<float>(ctx, 401, 5), 1), ShapeError);
}

}  // namespace
}  // namespace whorl
