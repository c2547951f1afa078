// Filters that are a kernel of their own, against sums of doubles pixel by pixel: slopes and unsharp.
#include <gtest/gtest.h>

#include <algorithm>

#include "filter/test/unit/stencil_reference.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/windows/gaussian.hpp"
#include "whorl/filter/windows/laplacian.hpp"
#include "whorl/filter/windows/sobel.hpp"
#include "whorl/filter/windows/unsharp.hpp"

namespace whorl {
namespace {

using test::expected;
using test::filtered;
using test::float_tolerance;
using test::value_at;
using test::with_kernel;

TEST(Slopes, AreThoseOfTheirKernels) {
  struct Case {
    std::unique_ptr<Filter> filter;
    CustomOptions options;
  };
  for (const Negatives negatives : {Negatives::clip, Negatives::absolute, Negatives::keep}) {
    SlopeOptions slope;
    slope.negatives = negatives;
    slope.border = Border::replicate;
    ScharrOptions scharr_x;
    static_cast<SlopeOptions&>(scharr_x) = slope;
    ScharrOptions scharr_y = scharr_x;
    scharr_y.axis = SlopeAxis::y;
    LaplacianOptions four;
    static_cast<SlopeOptions&>(four) = slope;
    LaplacianOptions eight = four;
    eight.neighbors = LaplacianNeighbors::eight;
    Case cases[] = {{make_sobel_x(slope), with_kernel(parse_kernel("-1,0,1;-2,0,2;-1,0,1"))},
                    {make_sobel_y(slope), with_kernel(parse_kernel("1,2,1;0,0,0;-1,-2,-1"))},
                    {make_scharr(scharr_x), with_kernel(parse_kernel("-3,0,3;-10,0,10;-3,0,3"))},
                    {make_scharr(scharr_y), with_kernel(parse_kernel("-3,-10,-3;0,0,0;3,10,3"))},
                    {make_laplacian(four), with_kernel(parse_kernel("0,1,0;1,-4,1;0,1,0"))},
                    {make_laplacian(eight), with_kernel(parse_kernel("1,1,1;1,-8,1;1,1,1"))}};
    for (Case& one : cases) {
      one.options.border = Border::replicate;
      one.options.negatives = negatives;
      for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
        const Image image = test::random_image({type, Channels::rgb, 1, 1, 35, 41}, 5);
        EXPECT_LE(test::largest_difference(filtered(*one.filter, image), expected(image, one.options)),
                  type == PixelType::float32 ? float_tolerance(one.options, 1) : 0)
            << one.filter->name();
      }
    }
  }
}

// What an image covers has no slope that anyone wants to see.
TEST(Slopes, LeaveAlpha) {
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Channels channels : {Channels::gray_alpha, Channels::rgba}) {
      const Image image = test::random_image({type, channels, 1, 2, 7, 19}, 9);
      const Index alpha = count_of(channels) - 1;
      for (const Negatives negatives : {Negatives::clip, Negatives::keep}) {
        SlopeOptions slope;
        slope.negatives = negatives;
        CustomOptions options = with_kernel(parse_kernel("-1,0,1;-2,0,2;-1,0,1"));
        options.negatives = negatives;
        const Image slopes = expected(image, options);
        const Image wanted = test::make_image(slopes.format(), [&](Index part, Index y, Index x, Index c) {
          return value_at(c == alpha ? image : slopes, part, y, x, c);
        });
        EXPECT_LE(test::largest_difference(filtered(*make_sobel_x(slope), image), wanted),
                  float_tolerance(options, full_scale(type)))
            << to_string(image.format());
      }
    }
  }
}

TEST(Slopes, AreThoseOfPlanes) {
  const Image plane = test::make_image(
      {PixelType::float32, Channels::gray, 1, 1, 9, 12},
      [](Index, Index y, Index x, Index) { return 3.0 * static_cast<double>(x) + 5.0 * static_cast<double>(y); });
  // The sums of the weights' distances: 8 for Sobel, 32 for Scharr; the second differences of a plane are 0.
  EXPECT_EQ(value_at(filtered(*make_sobel_x({}), plane), 0, 4, 6), 3 * 8);
  EXPECT_EQ(value_at(filtered(*make_sobel_y({}), plane), 0, 4, 6), -5 * 8);
  EXPECT_EQ(value_at(filtered(*make_scharr({}), plane), 0, 4, 6), 3 * 32);
  EXPECT_EQ(value_at(filtered(*make_laplacian({}), plane), 0, 4, 6), 0);
}

TEST(Unsharp, IsThatOfTheProgram) {
  CustomOptions options = with_kernel(parse_kernel("-1,-4,-1;-4,26,-4;-1,-4,-1"), 6);
  options.border = Border::wrap;
  UnsharpOptions unsharp;
  unsharp.border = Border::wrap;
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgb, 1, 1, 35, 41}, 5);
    EXPECT_LE(test::largest_difference(filtered(*make_unsharp(unsharp), image), expected(image, options)),
              type == PixelType::float32 ? float_tolerance(options, 1) : 0);
  }
}

// Amounts with which sums are exact in double.
TEST(Unsharp, AddsAsMuchDetailAsIsSaid) {
  for (const double amount : {0.0, 0.5, 4.0}) {
    ImageKernel kernel{3, 3, {}};
    for (const double weight : {-1, -4, -1, -4, 20, -4, -1, -4, -1}) kernel.values.push_back(amount * weight);
    kernel.values[4] += 6;
    const CustomOptions options = with_kernel(kernel, 6);
    UnsharpOptions unsharp;
    unsharp.amount = amount;
    for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
      const Image image = test::random_image({type, Channels::gray, 1, 1, 23, 31}, 6);
      EXPECT_LE(test::largest_difference(filtered(*make_unsharp(unsharp), image), expected(image, options)),
                type == PixelType::float32 ? float_tolerance(options, 1) : 0);
    }
  }
}

// Against the definition in double on what the Gaussian makes. For integers float32 is exact up to the product, whose
// rounding (2^-24 of up to 65535 * 2.5) can only turn what lies that near to a half. For float32 three roundings, of
// numbers up to 1 + 2.5.
TEST(Unsharp, TakesAGaussianAwayWithSigma) {
  UnsharpOptions options;
  options.amount = 2.5;
  options.sigma = 1.3;
  options.border = Border::wrap;
  GaussianOptions blur;
  blur.sigma = *options.sigma;
  blur.border = options.border;
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgba, 2, 1, 19, 37}, 8);
    const Image blurred = filtered(*make_gaussian(blur), image);
    const Image raised = filtered(*make_unsharp(options), image);
    const bool is_float = type == PixelType::float32;
    for (Index i = 0; i < image.format().shape().size(); ++i) {
      const auto number = [&](const Image& of) {
        return with_pixel_type(type, [&](auto v) { return static_cast<double>(of.pixels<decltype(v)>().data()[i]); });
      };
      const double exact = number(image) + options.amount * (number(image) - number(blurred));
      if (is_float) {
        ASSERT_NEAR(number(raised), exact, 3 * 3.5 * std::numeric_limits<float>::epsilon() / 2);
      } else {
        ASSERT_NEAR(number(raised), std::clamp(exact, 0.0, full_scale(type)), 0.5 + 65535 * 2.5 / 16777216);
      }
    }
  }
}

TEST(Unsharp, RefusesWhatIsOutOfRange) {
  UnsharpOptions options;
  options.amount = 10.5;
  EXPECT_THROW(make_unsharp(options), ValueError);
  options.amount = 1;
  options.sigma = 0;
  EXPECT_THROW(make_unsharp(options), ValueError);
}

}  // namespace
}  // namespace whorl
