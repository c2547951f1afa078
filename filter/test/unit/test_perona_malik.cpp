#include "whorl/filter/diffusion/perona_malik.hpp"

#include <gtest/gtest.h>

#include "filter/src/kernels/exponential.hpp"
#include "support/device.hpp"
#include "support/diffusion.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(PeronaMalik, HasAnExponential) {
  EXPECT_EQ(kernels::exp_minus(0), 1.0F);
  for (int i = 1; i < 4000; ++i) {
    const double x = 0.02 * i;
    const auto given = static_cast<float>(x);
    const double expected = std::exp(-static_cast<double>(given));
    EXPECT_NEAR(kernels::exp_minus(given) / expected, 1, 2e-7 * (1 + x));
  }
  EXPECT_LT(kernels::exp_minus(1e30F), 2e-38F);
}

TEST(PeronaMalik, MakesTheStepsOfItsDefinition) {
  const Context ctx = test::device_context();
  using enum PixelType;
  for (const ImageFormat& format :
       {ImageFormat{uint8, Channels::rgb, 1, 1, 19, 23}, ImageFormat{uint16, Channels::rgba, 1, 2, 6, 9},
        ImageFormat{float32, Channels::gray, 2, 3, 21, 70}, ImageFormat{float32, Channels::complex, 1, 1, 75, 13},
        ImageFormat{float32, Channels::gray, 1, 1, 1, 9}, ImageFormat{float32, Channels::rgb, 1, 2, 7, 1},
        ImageFormat{uint8, Channels::gray, 1, 1, 1, 1}}) {
    const Image image = test::random_image(format, 4);
    for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
      for (const bool volumes : {false, true}) {
        for (const Conduction conduction : {Conduction::exponential, Conduction::rational}) {
          const double scale = full_scale(format.type);
          const double edge = 0.3 * scale;
          PeronaMalikOptions options;
          options.steps = 9;
          options.edge = edge;
          options.step = 0.15;
          options.conduction = conduction;
          options.volumes = volumes;
          options.border = border;
          options.border_value = 0.25 * scale;
          test::Numbers expected = test::numbers_of(image);
          for (Index step = 0; step < options.steps; ++step) {
            expected =
                test::diffusion_step(format, expected, border, options.border_value, volumes, 0.15, [&](double square) {
                  const double ratio = square / (edge * edge);
                  return conduction == Conduction::exponential ? std::exp(-ratio) : 1 / (1 + ratio);
                });
          }
          // As for heat: a step rounds about six times by eps/2; differences that conduction makes grow by its slope,
          // at most by 1 + 4 dt in all 9 steps.
          const double rounding = std::pow(1 + 4 * 0.15, 9) * 6 * 6e-8 * scale;
          const Image result = to_host(ctx, make_perona_malik(options)->apply(ctx, clone(ctx, image)));
          EXPECT_LE(test::largest_difference_from(result, expected), rounding + (format.type == float32 ? 0 : 0.5))
              << to_string(format) << ", border " << static_cast<int>(border) << (volumes ? ", 3d" : "");
        }
      }
    }
  }
}

// A step of height 1 with noise of 0.02 and K = 0.1: the noise goes, the step stays.
TEST(PeronaMalik, SmoothsNoiseAndKeepsAnEdge) {
  const Context ctx = test::device_context();
  const ImageFormat format{PixelType::float32, Channels::gray, 1, 1, 40, 50};
  std::uint64_t at = 0;
  const Image image = test::make_image(
      format, [&](Index, Index, Index x, Index) { return (x < 25 ? 0.0 : 1.0) + 0.02 * random_normal(9, at++); });
  PeronaMalikOptions options;
  options.edge = 0.1;
  options.steps = 40;
  const Image result = to_host(ctx, make_perona_malik(options)->apply(ctx, clone(ctx, image)));
  double square = 0;
  for (Index y = 0; y < 40; ++y) {
    for (Index x = 0; x < 50; ++x) square += std::pow(test::value_at(result, 0, y, x) - (x < 25 ? 0 : 1), 2);
  }
  // Diffusion over a time of 8 averages over 4 pi 8 pixels: to a tenth of the noise; a fourth leaves room for its
  // slower conduction. An edge that flowed by one pixel alone would be 0.14.
  EXPECT_LE(std::sqrt(square / 2000), 0.02 / 4);
}

TEST(PeronaMalik, RefusesStepsThatAreNotStable) {
  PeronaMalikOptions options;
  options.step = 0.2;
  EXPECT_NO_THROW(make_perona_malik(options));
  options.volumes = true;
  EXPECT_THROW(make_perona_malik(options), ValueError);
  options.volumes = false;
  options.step = 0.26;
  EXPECT_THROW(make_perona_malik(options), ValueError);
  options.step.reset();
  options.edge = 0;
  EXPECT_THROW(make_perona_malik(options), ValueError);
  options.edge = 1;
  options.steps = -1;
  EXPECT_THROW(make_perona_malik(options), ValueError);
}

}  // namespace
}  // namespace whorl
