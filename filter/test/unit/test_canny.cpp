#include "whorl/filter/windows/canny.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "filter/src/pipeline/stages.hpp"
#include "filter/test/unit/all_borders.hpp"
#include "filter/test/unit/canny_reference.hpp"
#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/pipeline.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl {
namespace {

using test::value_at;

// How many pixels of the result are not what they should be.
Index count_wrong(const Image& image, const CannyOptions& options, const Image& result, Index* edges = nullptr) {
  const ImageFormat& format = image.format();
  ImageFormat expected = format;
  expected.channels = Channels::gray;
  EXPECT_EQ(result.format(), expected);
  Index wrong = 0;
  for (Index slice = 0; slice < format.slices(); ++slice) {
    const test::CannyReference reference(image, slice, options);
    for (Index y = 0; y < format.height; ++y) {
      for (Index x = 0; x < format.width; ++x) {
        const bool edge = reference.is_edge(y, x);
        if (edge && edges != nullptr) ++*edges;
        if (value_at(result, slice, y, x) != (edge ? full_scale(format.type) : 0)) ++wrong;
      }
    }
  }
  return wrong;
}

Image apply(const CannyOptions& options, const Image& image) {
  const Context ctx = test::device_context();
  return to_host(ctx, make_canny(options)->apply(ctx, clone(ctx, image)));
}

// Numbers of eight bits times a power of two, so that gradients and their squares are exact in float32.
double unit_of(PixelType type) {
  constexpr double of_uint16 = 256;
  constexpr double of_float = 1.0 / 256;
  return type == PixelType::uint8 ? 1 : type == PixelType::uint16 ? of_uint16 : of_float;
}

// Waves in noise: long weak lines and short strong ones.
Image textured(const ImageFormat& format, std::uint64_t seed) {
  std::uint64_t at = 0;
  return test::make_image(format, [&](Index slice, Index y, Index x, Index c) {
    const auto wave = std::sin(0.31 * static_cast<double>(x) + 0.11 * static_cast<double>(c)) *
                      std::cos(0.23 * static_cast<double>(y) - 0.5 * static_cast<double>(slice));
    const double level = std::floor(100 + 70 * wave + 60 * random_uniform(seed, at++));
    return level * unit_of(format.type);
  });
}

CannyOptions thresholds(PixelType type, double low, double high) {
  CannyOptions options;
  options.low = low * unit_of(type);
  options.high = high * unit_of(type);
  return options;
}

TEST(Canny, IsAsDefinedWithoutSmoothing) {
  for (const PixelType type : test::pixel_types) {
    for (const Border border : test::all_borders) {
      for (const GradientNorm norm : {GradientNorm::l2, GradientNorm::l1}) {
        for (const EdgeTies ties : {EdgeTies::drop, EdgeTies::first}) {
          CannyOptions options = thresholds(type, 90, 220);
          options.sigma = 0;
          options.border = border;
          options.border_value = 90 * unit_of(type);
          options.norm = norm;
          options.ties = ties;
          const Image image = textured({type, Channels::gray, 1, 1, 47, 75}, 1);
          Index edges = 0;
          EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0);
          EXPECT_GT(edges, 100);
        }
      }
    }
  }
}

TEST(Canny, TakesExtentsBelowAVectorAndAboveAStrip) {
  constexpr std::array<Index, 2> extents[] = {{1, 1},   {1, 37},   {41, 1},   {2, 2},    {2, 33},   {3, 5},
                                              {33, 2},  {64, 64},  {5, 1025}, {9, 1057}, {131, 66}, {8, 8},
                                              {31, 16}, {13, 520}, {21, 748}, {19, 240}, {17, 1040}};
  for (const auto& [height, width] : extents) {
    for (const Border border : test::all_borders) {
      for (const double sigma : {0.0, 1.4}) {
        for (const PixelType type : test::pixel_types) {
          CannyOptions options = thresholds(type, 40, 120);
          options.sigma = sigma;
          options.border = border;
          options.border_value = 255 * unit_of(type);
          const Image image = textured({type, Channels::gray, 1, 1, height, width}, 2);
          EXPECT_EQ(count_wrong(image, options, apply(options, image)), 0)
              << height << " x " << width << ", border " << static_cast<int>(border) << ", sigma " << sigma << ", "
              << to_string(image.format());
        }
      }
    }
  }
}

// Weights of 1/4, 1/2 and 1/4 are exact in floating point, and so are the levels and the l1 norm of the gradients.
TEST(Canny, SmoothsByAGaussian) {
  for (const PixelType type : test::pixel_types) {
    for (const Border border : test::all_borders) {
      CannyOptions options = thresholds(type, 30, 90);
      options.sigma = 1 / std::sqrt(2 * std::numbers::ln2);
      options.radius = 1;
      options.norm = GradientNorm::l1;
      options.border = border;
      options.border_value = 200 * unit_of(type);
      const Image image = textured({type, Channels::gray, 1, 1, 45, 71}, 3);
      EXPECT_EQ(count_wrong(image, options, apply(options, image)), 0);
    }
  }
}

// The reference rounds uint8 as the filter does. With floats a comparison differs where two numbers are within 1e-6 of
// each other relative to their size: five comparisons in each of 3000 pixels, 0.02 pixels to be expected.
TEST(Canny, TakesAnyRadius) {
  for (const PixelType type : test::pixel_types) {
    for (const Index radius : {1, 2, 3, 7, 15}) {
      CannyOptions options = thresholds(type, 4, 12);
      options.sigma = 0.5 * static_cast<double>(radius) + 0.4;
      options.radius = radius;
      const Image image = textured({type, Channels::gray, 1, 1, 43, 69}, 4);
      Index edges = 0;
      EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0) << "radius " << radius;
      EXPECT_GT(edges, 10);
    }
  }
}

TEST(Canny, TakesTheLightOfColors) {
  for (const PixelType type : test::pixel_types) {
    for (const Channels channels : {Channels::gray_alpha, Channels::rgb, Channels::rgba}) {
      // Floats are rounded in another order than in the reference: see TakesAnyRadius.
      const CannyOptions options = thresholds(type, 20, 60);
      for (const auto& [height, width] : {std::pair<Index, Index>{37, 75}, {9, 744}}) {
        const Image image = textured({type, channels, 1, 1, height, width}, 5);
        Index edges = 0;
        EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0);
        EXPECT_GT(edges, 100);
      }
    }
  }
}

TEST(Canny, TakesVolumesSliceBySlice) {
  const CannyOptions options = thresholds(PixelType::uint16, 40, 120);
  const Image image = textured({PixelType::uint16, Channels::gray, 2, 3, 19, 35}, 6);
  EXPECT_EQ(count_wrong(image, options, apply(options, image)), 0);
}

// A step of height h along a square spiral has gradients of 4 h; a single pixel of it is made strong.
TEST(Canny, FollowsASpiralToItsEnd) {
  constexpr Index extent = 301;
  for (const bool is_strong : {false, true}) {
    Image image = test::make_image({PixelType::uint8, Channels::gray, 1, 1, extent, extent},
                                   [](Index, Index, Index, Index) { return 0; });
    std::uint8_t* pixels = image.pixels<std::uint8_t>().data();
    Index y = 8;
    Index x = 8;
    Index dy = 0;
    Index dx = 1;
    Index length = extent - 16;
    pixels[y * extent + x] = is_strong ? 255 : 30;
    for (int side = 0; length > 8; ++side) {
      for (Index i = 0; i < length; ++i) {
        y += dy;
        x += dx;
        pixels[y * extent + x] = 30;
      }
      std::swap(dy, dx);
      dx = -dx;
      if (side % 2 == 1) length -= 8;
    }
    CannyOptions options = thresholds(PixelType::uint8, 50, 400);
    options.sigma = 0;
    Index edges = 0;
    EXPECT_EQ(count_wrong(image, options, apply(options, image), &edges), 0);
    if (is_strong) {
      EXPECT_GT(edges, 5000);
    } else {
      EXPECT_EQ(edges, 0);
    }
  }
}

TEST(Canny, IsTheSameOnAnyNumberOfThreads) {
  const Image image = textured({PixelType::uint8, Channels::gray, 1, 1, 600, 333}, 7);
  const CannyOptions options = thresholds(PixelType::uint8, 25, 110);
  const Image expected = make_canny(options)->apply(Context({.threads = 1}), image);
  EXPECT_EQ(count_wrong(image, options, expected), 0);
  for (const int threads : {2, 3, 7}) {
    const Image result = make_canny(options)->apply(Context({.threads = threads}), image);
    EXPECT_EQ(test::largest_difference(result, expected), 0);
  }
}

// Sobel's windows give both sides of it the same gradient, 4 times its height.
TEST(Canny, FindsAnIdealStepOnce) {
  const Image image = test::make_image({PixelType::uint8, Channels::gray, 1, 1, 9, 21},
                                       [](Index, Index, Index x, Index) { return x < 8 ? 40 : 90; });
  CannyOptions options = thresholds(PixelType::uint8, 100, 199);
  options.sigma = 0;
  const Image once = apply(options, image);
  options.ties = EdgeTies::drop;
  const Image never = apply(options, image);
  for (Index y = 0; y < 9; ++y) {
    for (Index x = 0; x < 21; ++x) {
      EXPECT_EQ(value_at(once, 0, y, x), x == 7 ? 255 : 0) << y << ", " << x;
      EXPECT_EQ(value_at(never, 0, y, x), 0) << y << ", " << x;
    }
  }
}

TEST(Canny, ScalesItsThresholdsWithTheType) {
  for (const PixelType type : test::pixel_types) {
    const double scale = full_scale(type);
    CannyOptions given;
    given.low = 50 * scale / 255;
    given.high = 100 * scale / 255;
    const Image image = test::random_image({type, Channels::gray, 1, 1, 31, 57}, 8);
    EXPECT_EQ(test::largest_difference(apply({}, image), apply(given, image)), 0);
  }
}

// Widths above 1024 have two strips on the CPU; 64 is a whole number of groups on the GPU.
TEST(Canny, DoesWhatStandsBeforeItAsItReads) {
  const Context ctx = test::device_context();
  const auto check = [&](const char* text, const ImageFormat& format) {
    const Pipeline pipeline = Pipeline::parse(text);
    // A GPU may prefer a pass before its kernel of rows (test_fusion.cpp).
    if (ctx.device().kind == DeviceKind::cpu) {
      EXPECT_EQ(filters::stages_of(pipeline.filters(), format, ctx.device().kind).size(), 1U) << text;
    }
    const Image image = clone(ctx, textured(format, 9));
    Image expected = clone(ctx, image);
    for (const auto& filter : pipeline.filters()) expected = filter->apply(ctx, expected);
    const Image found = to_host(ctx, pipeline.apply(ctx, image));
    EXPECT_EQ(test::largest_difference(found, to_host(ctx, expected)), 0) << text << " " << to_string(format);
    const Image black = test::make_image(found.format(), [](Index, Index, Index, Index) { return 0.0; });
    EXPECT_GT(test::largest_difference(found, black), 0) << text << " has no edges";
  };
  for (const char* border : {"reflect", "wrap", "constant border-value=0.5"}) {
    const std::string canny = fmt::format("canny border={}", border);
    for (const PixelType type : test::pixel_types) {
      for (const Channels channels : {Channels::gray, Channels::rgb, Channels::rgba}) {
        check(("gamma 0.6 | " + canny).c_str(), {type, channels, 1, 2, 37, 64});
        check(("gray | scale 0.8 | gamma 1.2 | invert | " + canny + " sigma=0").c_str(),
              {type, channels, 1, 1, 29, 43});
      }
    }
    check(("convert uint8 | " + canny + " radius=4").c_str(), {PixelType::float32, Channels::rgb, 2, 1, 17, 1100});
    check(("magnitude | " + canny + " 0.01 0.02").c_str(), {PixelType::float32, Channels::complex, 1, 1, 41, 23});
  }
}

TEST(Canny, SaysWhatItDoesNotTake) {
  const auto make = [](const std::vector<FilterArgument>& arguments) {
    return FilterRegistry::global().find("canny").make(std::span(arguments));
  };
  EXPECT_NO_THROW(make({{"", "50"}, {"", "100"}}));
  EXPECT_THROW(make({{"", "50"}}), ValueError);
  EXPECT_THROW(make({{"", "100"}, {"", "50"}}), ValueError);
  EXPECT_THROW(make({{"low", "-1"}, {"high", "50"}}), ValueError);
  EXPECT_THROW(make({{"radius", "16"}}), ValueError);
  EXPECT_THROW(make({{"sigma", "101"}}), ValueError);
  EXPECT_THROW(make_canny({})->output({PixelType::float32, Channels::complex, 1, 1, 3, 3}), Unsupported);
}

}  // namespace
}  // namespace whorl
