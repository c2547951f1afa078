#include "whorl/measure/scaled_error.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/compare.hpp"

namespace whorl {
namespace {

using Complex = std::complex<double>;

TEST(ScaledError, IsBlindToAComplexFactor) {
  const Context ctx;
  const auto truth = test::random_array<double>(ctx, {4, 7}, 2);
  auto image = clone(ctx, truth.ref());
  const Complex factor(0.3, -2);
  for (Complex& pixel : image.span()) pixel *= factor;
  const ScaledError error = scaled_error<Complex>(ctx, image, truth);
  EXPECT_LT(std::abs(error.scale * factor - 1.0), 1e-14);
  EXPECT_LT(error.nrmse, 1e-14);  // rounding alone: nothing is subtracted from 1
}

TEST(ScaledError, IsTheLeastOfAllScales) {
  const Context ctx;
  const auto truth = test::random_array<double>(ctx, {5, 6}, 3);
  const auto image = test::random_array<double>(ctx, {5, 6}, 4);
  const ScaledError error = scaled_error<Complex>(ctx, image, truth);
  const auto residual = [&](Complex scale) {
    double difference = 0;
    double total = 0;
    for (std::size_t i = 0; i < truth.span().size(); ++i) {
      difference += std::norm(scale * image.span()[i] - truth.span()[i]);
      total += std::norm(truth.span()[i]);
    }
    return std::sqrt(difference / total);
  };
  EXPECT_NEAR(error.nrmse, residual(error.scale), 1e-15);
  for (const Complex step : {Complex(1e-3, 0), Complex(-1e-3, 0), Complex(0, 1e-3), Complex(0, -1e-3)}) {
    EXPECT_GT(residual(error.scale + step), error.nrmse);
  }
}

TEST(ScaledError, RealImagesAreScaledByARealNumber) {
  const Context ctx;
  auto truth = zeros<float>(ctx, {3});
  auto image = zeros<float>(ctx, {3});
  // s = (1*2 + 2*1) / (1 + 4) = 0.8; residual (0.8 - 2)^2 + (1.6 - 1)^2 = 1.8 of 5. The last pixel is masked.
  truth.span()[0] = 2;
  truth.span()[1] = 1;
  image.span()[0] = 1;
  image.span()[1] = 2;
  image.span()[2] = 100;
  auto mask = zeros<bool>(ctx, {3});
  mask.span()[0] = mask.span()[1] = true;
  const ScaledError error = scaled_error<float>(ctx, image, truth, mask.ref());
  EXPECT_DOUBLE_EQ(error.scale.real(), 0.8);
  EXPECT_EQ(error.scale.imag(), 0);
  EXPECT_NEAR(error.nrmse, std::sqrt(1.8 / 5), 1e-15);
}

TEST(ScaledError, ImagesOfZeros) {
  const Context ctx;
  const auto nothing = zeros<float>(ctx, {2, 2});
  auto something = zeros<float>(ctx, {2, 2});
  something.span()[3] = 1;
  const ScaledError error = scaled_error<float>(ctx, nothing, something);
  EXPECT_EQ(error.scale, 0.0);
  EXPECT_EQ(error.nrmse, 1);
  EXPECT_THROW(scaled_error<float>(ctx, something, nothing), ValueError);
}

TEST(Magnitude, IsTheAbsoluteValue) {
  const Context ctx;
  auto image = zeros<std::complex<float>>(ctx, {2});
  image.span()[1] = {-3, 4};
  const auto result = magnitude<float>(ctx, image);
  EXPECT_EQ(result.span()[0], 0);
  EXPECT_EQ(result.span()[1], 5);
}

}  // namespace
}  // namespace whorl
