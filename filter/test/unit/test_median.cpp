#include "whorl/filter/ordered/median.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/registry.hpp"

namespace whorl {
namespace {

using test::value_at;

// By definition: the number in the middle of the sorted window.
Image sorted_windows(const Image& image, const MedianOptions& options) {
  const ImageFormat& format = image.format();
  return test::make_image(format, [&](Index slice, Index y, Index x, Index c) {
    std::vector<double> window;
    for (Index dy = -options.radius; dy <= options.radius; ++dy) {
      for (Index dx = -options.radius; dx <= options.radius; ++dx) {
        const Index at_y = border_index(options.border, y + dy, format.height);
        const Index at_x = border_index(options.border, x + dx, format.width);
        window.push_back(at_y < 0 || at_x < 0 ? options.border_value : value_at(image, slice, at_y, at_x, c));
      }
    }
    const auto middle = window.begin() + static_cast<std::ptrdiff_t>(window.size() / 2);
    std::nth_element(window.begin(), middle, window.end());
    return *middle;
  });
}

void expect_median(const Context& ctx, const Image& image, const MedianOptions& options) {
  const Image found = to_host(ctx, make_median(options)->apply(ctx, clone(ctx, image)));
  EXPECT_EQ(test::largest_difference(found, sorted_windows(image, options)), 0)
      << to_string(image.format()) << ", radius " << options.radius << ", border " << static_cast<int>(options.border);
}

TEST(Median, IsTheMiddleOfTheSortedWindow) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Index radius : {1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 20, 21}) {
      expect_median(ctx, test::random_image({type, Channels::rgb, 1, 1, 19, 45}, 3), {{}, radius});
    }
    // More than one tile, strip and band.
    expect_median(ctx, test::random_image({type, Channels::gray, 1, 1, 261, 300}, 4), {{}, 3});
    expect_median(ctx, test::random_image({type, Channels::gray, 1, 1, 133, 150}, 5), {{}, 9});
  }
  // More than one part of rows and of columns, and more than is written to the caches.
  expect_median(ctx, test::random_image({PixelType::uint8, Channels::gray, 1, 1, 85, 60001}, 6), {{}, 1});
}

TEST(Median, TakesAllRadii) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Index radius : {33, 127}) {
      expect_median(ctx, test::random_image({type, Channels::gray_alpha, 1, 1, 5, 12}, 6), {{}, radius});
      expect_median(ctx, test::random_image({type, Channels::gray, 1, 1, 12, 9}, 7), {{Border::constant, 1}, radius});
    }
  }
}

TEST(Median, TakesAllBorders) {
  const Context ctx = test::device_context();
  for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
    for (const Index radius : {1, 4, 9, 17}) {
      for (const auto& [height, width] : {std::pair<Index, Index>{9, 6}, {1, 8}, {7, 1}, {1, 1}, {23, 31}}) {
        const Image image = test::random_image({PixelType::uint8, Channels::rgba, 1, 1, height, width}, 8);
        expect_median(ctx, image, {{border, 100}, radius});
      }
      expect_median(ctx, test::random_image({PixelType::float32, Channels::gray, 2, 3, 11, 14}, 9),
                    {{border, 0.25}, radius});
    }
  }
}

// As GPUs read them: more than a warp's, in several strips.
TEST(Median, TakesRowsOfWholeVectors) {
  const Context ctx = test::device_context();
  for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
    for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
      const double inside = type == PixelType::float32 ? 0.25 : 100;
      for (const Channels channels : {Channels::gray, Channels::rgb}) {
        const Image image = test::random_image({type, channels, 2, 1, 14, 192}, 10);
        expect_median(ctx, image, {{border, inside}, 1});
      }
    }
  }
}

// On a CPU tiles of 8 x 8 or 16 x 16 pixels, that lie side by side in the lanes of vectors, where these are filled.
TEST(Median, TakesWidthsAndHeightsAroundThoseOfTiles) {
  const Context ctx = test::device_context();
  for (const auto& [height, width] : {std::pair<Index, Index>{7, 511}, {8, 512}, {17, 517}}) {
    expect_median(ctx, test::random_image({PixelType::uint8, Channels::gray, 1, 1, height, width}, 10), {{}, 4});
    expect_median(ctx, test::random_image({PixelType::uint8, Channels::rgb, 1, 1, height, width}, 11), {{}, 5});
    expect_median(ctx, test::random_image({PixelType::uint16, Channels::gray, 1, 1, height, width / 2}, 12), {{}, 5});
    expect_median(ctx, test::random_image({PixelType::float32, Channels::gray, 1, 1, height, width / 3}, 13), {{}, 5});
  }
  // More than one strip of rows, and more than one slice.
  expect_median(ctx, test::random_image({PixelType::uint16, Channels::gray, 2, 1, 137, 60}, 14), {{}, 5});
  // Radii above the height.
  expect_median(ctx, test::random_image({PixelType::uint8, Channels::gray, 1, 1, 15, 1020}, 15), {{}, 15});
  expect_median(ctx, test::random_image({PixelType::uint16, Channels::gray, 1, 1, 16, 300}, 16), {{}, 20});
  for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
    expect_median(ctx, test::random_image({PixelType::uint8, Channels::rgba, 1, 1, 8, 400}, 17), {{border, 90}, 6});
    expect_median(ctx, test::random_image({PixelType::uint16, Channels::gray_alpha, 1, 1, 14, 140}, 18),
                  {{border, 30000}, 8});
  }
}

TEST(Median, ClipsTheBorderValueToIntegers) {
  const Context ctx = test::device_context();
  const Image image =
      test::make_image({PixelType::uint8, Channels::gray, 1, 1, 1, 1}, [](Index, Index, Index, Index) { return 7.0; });
  for (const auto& [value, expected] : {std::pair{1000.0, 255.0}, {-3.0, 0.0}, {11.5, 12.0}}) {
    const Image found = to_host(ctx, make_median({{Border::constant, value}, 1})->apply(ctx, clone(ctx, image)));
    EXPECT_EQ(value_at(found, 0, 0, 0), expected);
  }
}

// Values that repeat, so that what is equal matters, with steps and slopes as pictures have them.
TEST(Median, TakesFewLevelsAndSlopes) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const Index radius : {1, 2, 5, 10, 18}) {
      expect_median(ctx,
                    test::make_image({type, Channels::gray, 1, 1, 37, 52},
                                     [](Index, Index y, Index x, Index) {
                                       return static_cast<double>((x * x + 3 * y) % 5 + (x > 20 ? 100 : 0) + y);
                                     }),
                    {{}, radius});
    }
  }
}

TEST(Median, CountsWhatIsNoNumberAsLargerThanInfinity) {
  const Context ctx = test::device_context();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto center = [&](const std::vector<float>& numbers) {
    const Image image =
        test::make_image({PixelType::float32, Channels::gray, 1, 1, 3, 3},
                         [&](Index, Index y, Index x, Index) { return numbers[static_cast<std::size_t>(3 * y + x)]; });
    return static_cast<float>(value_at(to_host(ctx, make_median({{}, 1})->apply(ctx, clone(ctx, image))), 0, 1, 1));
  };
  EXPECT_EQ(center({nan, 3, -1, 2, -nan, 5, 4, -infinity, 0}), 3);
  EXPECT_EQ(center({nan, infinity, nan, 2, -nan, 5, infinity, nan, 0}), infinity);
  EXPECT_TRUE(std::isnan(center({nan, infinity, nan, nan, -nan, 5, infinity, nan, 0})));
  EXPECT_TRUE(std::signbit(center({-0.0F, 0, -0.0F, 0, -0.0F, 0, -0.0F, 0, -0.0F})));
  EXPECT_FALSE(std::signbit(center({-0.0F, 0, -0.0F, 0, -0.0F, 0, -0.0F, 0, 0})));
}

TEST(Median, RefusesComplexImagesAndOtherRadii) {
  const ImageFormat complex{PixelType::float32, Channels::complex, 1, 1, 4, 5};
  EXPECT_THROW(make_median({})->output(complex), Unsupported);
  EXPECT_THROW(make_median({{}, 0}), ValueError);
  EXPECT_THROW(make_median({{}, 128}), ValueError);
  EXPECT_EQ(FilterRegistry::global().find("median-linear").name, "median");
  EXPECT_EQ(FilterRegistry::global().find("median-const").name, "median");
}

}  // namespace
}  // namespace whorl
