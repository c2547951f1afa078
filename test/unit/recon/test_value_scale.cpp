// Data of any magnitude: the image is that of data near 1, times their scale, or the reconstruction refuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/compare.hpp"
#include "unit/recon/test_scan.hpp"
#include "whorl/core/error.hpp"
#include "whorl/recon/reconstruct.hpp"

namespace whorl {
namespace {

using Complex = std::complex<float>;

// Powers of two change no rounding, so that the images are equal to the last bit. The scales are about 1e30 and 1e-25.
constexpr int huge = 100;
constexpr int tiny = -83;

void scale_by(Array<Complex>& array, int exponent) {
  for (Complex& value : array.span()) value = {std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent)};
}

class ValueScale : public testing::Test {
 protected:
  // Weak samples of scaled data would be subnormal and lose digits: all are given the same ones, 2^-20 or more.
  Scan scan(int data = 0, int noise = 0, double level = 0.01) const {
    Scan made = test::make_test_scan(ctx, {.noise = level});
    for (Complex& value : made.frames[0].data.span()) value = {whole(value.real()), whole(value.imag())};
    for (Complex& value : made.noise.span()) value = {whole(value.real()), whole(value.imag())};
    scale_by(made.frames[0].data, data);
    scale_by(made.noise, noise);
    return made;
  }
  static float whole(float value) { return std::ldexp(std::round(std::ldexp(value, 20)), -20); }

  void expect_scaled(const ReconOptions& options, int data, int noise, int image) const {
    const Reconstruction reference = reconstruct(ctx, scan(), options);
    const Reconstruction scaled = reconstruct(ctx, scan(data, noise), options);
    ASSERT_GT(norm_of(reference.images), 0);
    Array<Complex> expected = clone(ctx, reference.images.ref());
    scale_by(expected, image);
    Index different = 0;
    for (Index i = 0; i < expected.size(); ++i) different += expected.data()[i] == scaled.images.data()[i] ? 0 : 1;
    EXPECT_EQ(different, 0) << "data 2^" << data << ", noise 2^" << noise;
  }
  static double norm_of(const Array<Complex>& images) {
    double sum = 0;
    for (const Complex& value : images.span()) sum += std::norm(std::complex<double>(value));
    return std::sqrt(sum);
  }

  const Context ctx{{.threads = 2}};
};

TEST_F(ValueScale, GriddingWithoutPrewhitening) {
  for (const CombinationMethod combination : {CombinationMethod::root_sum_of_squares, CombinationMethod::matched}) {
    const ReconOptions options{
        .method = ReconMethod::gridding, .prewhiten = false, .gridding = {.combination = combination}};
    for (const int exponent : {huge, tiny}) expect_scaled(options, exponent, 0, exponent);
  }
}

TEST_F(ValueScale, LeastSquaresWithoutPrewhitening) {
  for (const int exponent : {huge, tiny}) {
    expect_scaled({.prewhiten = false}, exponent, 0, exponent);
    expect_scaled({.prewhiten = false, .coil_maps = CoilMapMethod::walsh}, exponent, 0, exponent);
  }
  expect_scaled({.prewhiten = false, .virtual_coils = 3}, huge, 0, huge);
}

TEST_F(ValueScale, PrewhiteningTakesTheScaleOfDataAndNoiseOut) {
  for (const int exponent : {huge, tiny}) {
    expect_scaled({}, exponent, exponent, 0);
    expect_scaled({.method = ReconMethod::gridding}, exponent, exponent, 0);
  }
}

TEST_F(ValueScale, NoiseOfAnotherScaleIsTheUnitOfTheImage) {
  for (const int exponent : {huge, tiny}) {
    // The automatic tolerance and ESPIRiT's threshold are of the noise.
    expect_scaled({.judge_noise = false, .coil_maps = CoilMapMethod::walsh, .cg_sense = {.tolerance = 1e-4}}, 0,
                  exponent, -exponent);
    expect_scaled({.method = ReconMethod::gridding, .judge_noise = false}, 0, exponent, -exponent);
  }
}

TEST_F(ValueScale, WithoutANoiseScanTheEdgeHasTheScaleOfTheData) {
  constexpr double level = 0.3;  // above the signal at the edge
  Scan reference = scan(0, 0, level);
  reference.noise = {};
  Scan scaled = scan(huge, 0, level);
  scaled.noise = {};
  const auto expected = reconstruct(ctx, std::move(reference), {});
  EXPECT_EQ(test::relative_error(reconstruct(ctx, std::move(scaled), {}).images, expected.images), 0);
}

// The choice of lambda sees data in the unit of the noise: 2^100 times less signal than noise asks for the largest
// lambda, and data and noise of one scale for the same as without.
TEST_F(ValueScale, LambdaFromTheSpectrumKnowsTheUnit) {
  const ReconOptions options{.judge_noise = false,
                             .cg_sense = {.lambda_search = LambdaSearchOptions{.method = LambdaMethod::spectrum}}};
  const auto lambda = [&](int data, int noise) {
    return reconstruct(ctx, scan(data, noise), options).lambdas.at(0).choice.lambda;
  };
  const double usual = lambda(0, 0);
  EXPECT_EQ(lambda(huge, huge), usual);
  EXPECT_EQ(lambda(0, huge), 10);  // the end of its grid
  EXPECT_GT(lambda(0, 8), usual);
  EXPECT_LE(lambda(0, tiny), usual);  // what the model misses may ask for more than the noise
}

// The curve is that of the data as they were given: their energy, and the noise in its unit.
TEST_F(ValueScale, TheCurveOfLambdaHasTheUnitOfTheData) {
  const ReconOptions options{.prewhiten = false, .cg_sense = {.lambda_search = LambdaSearchOptions{}}};
  const auto reference = reconstruct(ctx, scan(), options).lambdas.at(0).choice;
  const auto scaled = reconstruct(ctx, scan(huge), options).lambdas.at(0).choice;
  EXPECT_EQ(scaled.lambda, reference.lambda);
  ASSERT_EQ(scaled.curve.points.size(), reference.curve.points.size());
  for (std::size_t i = 0; i < reference.curve.points.size(); ++i) {
    EXPECT_EQ(scaled.curve.points[i].residual, std::ldexp(reference.curve.points[i].residual, 2 * huge));
    EXPECT_EQ(scaled.curve.points[i].penalty, std::ldexp(reference.curve.points[i].penalty, 2 * huge));
  }
}

TEST_F(ValueScale, BiasHasTheUnitOfTheImageAndNoiseOfItsOwn) {
  ReconOptions options{.judge_noise = false, .cg_sense = {.tolerance = 1e-4}};  // the automatic one is of the noise
  options.error_bars.bias = true;
  options.error_bars.standard_deviation = true;
  options.error_bars.noise.count = 2;
  const auto reference = reconstruct(ctx, scan(), options).error_bars;
  const auto scaled = reconstruct(ctx, scan(0, tiny), options).error_bars;
  for (Index i = 0; i < reference.bias.size(); ++i) {
    EXPECT_EQ(scaled.bias.data()[i].real(), std::ldexp(reference.bias.data()[i].real(), -tiny));
    EXPECT_EQ(scaled.standard_deviation.data()[i], reference.standard_deviation.data()[i]);
  }
}

TEST_F(ValueScale, MapsOfAnyScaleAreUnitMaps) {
  const auto run = [&](int exponent) {
    Scan made = scan();
    made.coil_maps = Array<Complex>(ctx, {made.coils, 1, 40, 48});
    for (Index i = 0; i < made.coil_maps.size(); ++i) {
      made.coil_maps.data()[i] = {1 + 0.1F * static_cast<float>(i % 7), 0.05F * static_cast<float>(i % 11)};
    }
    scale_by(made.coil_maps, exponent);
    return reconstruct(ctx, std::move(made), {.coil_maps = CoilMapMethod::file}).images;
  };
  EXPECT_EQ(test::relative_error(run(huge), run(0)), 0);
  EXPECT_EQ(test::relative_error(run(tiny), run(0)), 0);
}

// Data of 2^100 in units of a noise of 2^-80: an image of 2^180.
TEST_F(ValueScale, AnImageThatDoesNotFitIsRefused) {
  for (const auto& [data, noise] : {std::pair{huge, -80}, std::pair{-80, huge}}) {
    try {
      reconstruct(ctx, scan(data, noise), {.method = ReconMethod::gridding, .judge_noise = false});
      ADD_FAILURE() << "no error";
    } catch (const ValueError& error) {
      EXPECT_NE(std::string(error.what()).find("float32 holds"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace whorl
