#include "whorl/filter/ordered/morphology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

using test::value_at;
using Make = std::unique_ptr<Filter> (*)(const MorphologyOptions&);

bool is_in(WindowShape shape, Index radius, Index x, Index y) {
  if (shape == WindowShape::disc) return x * x + y * y <= radius * radius;
  return shape == WindowShape::square || x == 0 || y == 0;
}

// By definition, pixel by pixel.
Image extremum(const Image& image, const MorphologyOptions& options, bool largest) {
  const ImageFormat& format = image.format();
  return test::make_image(format, [&](Index slice, Index y, Index x, Index c) {
    double found = largest ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    for (Index dy = -options.radius; dy <= options.radius; ++dy) {
      for (Index dx = -options.radius; dx <= options.radius; ++dx) {
        if (!is_in(options.shape, options.radius, dx, dy)) continue;
        const Index at_y = border_index(options.border, y + dy, format.height);
        const Index at_x = border_index(options.border, x + dx, format.width);
        const double value = at_y < 0 || at_x < 0 ? options.border_value : value_at(image, slice, at_y, at_x, c);
        found = largest ? std::max(found, value) : std::min(found, value);
      }
    }
    return found;
  });
}

Image difference(const Image& a, const Image& b) {
  return test::make_image(a.format(), [&](Index slice, Index y, Index x, Index c) {
    return value_at(a, slice, y, x, c) - value_at(b, slice, y, x, c);
  });
}

void expect_result(const Context& ctx, Make make, const Image& image, const MorphologyOptions& options,
                   const Image& expected) {
  const std::unique_ptr<Filter> filter = make(options);
  EXPECT_EQ(test::largest_difference(to_host(ctx, filter->apply(ctx, clone(ctx, image))), expected), 0)
      << filter->name() << " of " << to_string(image.format()) << ", radius " << options.radius << ", shape "
      << static_cast<int>(options.shape) << ", border " << static_cast<int>(options.border);
}

void expect_extrema(const Context& ctx, const Image& image, const MorphologyOptions& options) {
  expect_result(ctx, &make_erode, image, options, extremum(image, options, false));
  expect_result(ctx, &make_dilate, image, options, extremum(image, options, true));
}

constexpr WindowShape shapes[] = {WindowShape::square, WindowShape::disc, WindowShape::cross};

TEST(Morphology, TakesTheExtremumOfTheWindow) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const WindowShape shape : shapes) {
      for (const Index radius : {1, 2, 3, 4, 7, 9}) {
        expect_extrema(ctx, test::random_image({type, Channels::rgb, 1, 1, 27, 41}, 3), {{}, radius, shape});
      }
      expect_extrema(ctx, test::random_image({type, Channels::gray, 1, 1, 5, 7}, 4), {{}, 150, shape});
    }
    // More than one part.
    expect_extrema(ctx, test::random_image({type, Channels::gray, 1, 1, 70, 1100}, 5), {{}, 2, WindowShape::disc});
  }
  // An image that is larger than what is written to the caches.
  expect_extrema(ctx, test::random_image({PixelType::uint8, Channels::gray, 1, 1, 85, 60001}, 6),
                 {{}, 1, WindowShape::square});
}

TEST(Morphology, TakesAllBorders) {
  const Context ctx = test::device_context();
  for (const WindowShape shape : shapes) {
    for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
      for (const auto& [height, width] : {std::pair<Index, Index>{9, 6}, {1, 8}, {7, 1}, {1, 1}, {23, 31}}) {
        const Image image = test::random_image({PixelType::uint8, Channels::rgba, 1, 1, height, width}, 8);
        expect_extrema(ctx, image, {{border, 100}, 3, shape});
      }
      expect_extrema(ctx, test::random_image({PixelType::float32, Channels::gray, 2, 3, 11, 14}, 9),
                     {{border, 0.25}, 2, shape});
    }
  }
}

// As GPUs read them: more than a warp's, in several strips.
TEST(Morphology, TakesRowsOfWholeVectors) {
  const Context ctx = test::device_context();
  for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
    for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
      const double inside = type == PixelType::float32 ? 0.25 : 100;
      for (const Channels channels : {Channels::gray, Channels::rgb}) {
        const Image image = test::random_image({type, channels, 2, 1, 14, 192}, 10);
        expect_extrema(ctx, image, {{border, inside}, 1, WindowShape::square});
      }
    }
  }
}

TEST(Morphology, ComposesItsSteps) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::gray_alpha, 1, 1, 19, 26}, 10);
    const MorphologyOptions options{{}, 2, WindowShape::disc};
    const Image low = extremum(image, options, false);
    const Image high = extremum(image, options, true);
    const Image open = extremum(low, options, true);
    const Image close = extremum(high, options, false);
    expect_result(ctx, &make_open, image, options, open);
    expect_result(ctx, &make_close, image, options, close);
    // Differences of floats are exact in double and rounded once, as by the filter.
    expect_result(ctx, &make_gradient, image, options, difference(high, low));
    expect_result(ctx, &make_tophat, image, options, difference(image, open));
    expect_result(ctx, &make_blackhat, image, options, difference(close, image));
  }
}

TEST(Morphology, CountsWhatIsNoNumberAsLargerThanInfinity) {
  const Context ctx = test::device_context();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Image image =
      test::make_image({PixelType::float32, Channels::gray, 1, 1, 1, 5},
                       [&](Index, Index, Index x, Index) { return x == 1 ? -nan : static_cast<float>(x); });
  const Image low = to_host(ctx, make_erode({})->apply(ctx, clone(ctx, image)));
  const Image high = to_host(ctx, make_dilate({})->apply(ctx, clone(ctx, image)));
  EXPECT_EQ(value_at(low, 0, 0, 1), 0);
  EXPECT_EQ(value_at(low, 0, 0, 2), 2);
  EXPECT_TRUE(std::isnan(value_at(high, 0, 0, 2)));
  EXPECT_EQ(value_at(high, 0, 0, 3), 4);
}

TEST(Morphology, RefusesComplexImagesAndOtherRadii) {
  const ImageFormat complex{PixelType::float32, Channels::complex, 1, 1, 4, 5};
  for (const Make make :
       {&make_erode, &make_dilate, &make_open, &make_close, &make_gradient, &make_tophat, &make_blackhat}) {
    EXPECT_THROW(make({})->output(complex), Unsupported);
    EXPECT_THROW(make({{}, 0}), ValueError);
    EXPECT_THROW(make({{}, 1001}), ValueError);
  }
}

}  // namespace
}  // namespace whorl
