#include <gtest/gtest.h>

#include "support/device.hpp"
#include "support/images.hpp"
#include "whorl/core/error.hpp"
#include "whorl/filter/geometry/crop.hpp"
#include "whorl/filter/geometry/pad.hpp"

namespace whorl {
namespace {

using test::value_at;

TEST(Crop, TakesARectangle) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    const Image image = test::random_image({type, Channels::rgb, 2, 2, 9, 13}, 3);
    const Image result =
        to_host(ctx, make_crop({.x = 3, .y = 2, .width = 7, .height = 4})->apply(ctx, clone(ctx, image)));
    const Image expected = test::make_image(
        {type, Channels::rgb, 2, 2, 4, 7},
        [&](Index slice, Index y, Index x, Index c) { return value_at(image, slice, y + 2, x + 3, c); });
    EXPECT_EQ(test::largest_difference(result, expected), 0);
  }
}

TEST(Crop, GoesToTheEdgesByItself) {
  const ImageFormat output = make_crop({.x = 3, .y = 2})->output({PixelType::uint8, Channels::gray, 1, 1, 9, 13});
  EXPECT_EQ(output.height, 7);
  EXPECT_EQ(output.width, 10);
}

TEST(Crop, RefusesWhatIsOutside) {
  const ImageFormat format{PixelType::uint8, Channels::gray, 1, 1, 9, 13};
  for (const CropOptions& options :
       {CropOptions{.x = 13}, CropOptions{.x = 5, .width = 9}, CropOptions{.y = 1, .height = 9}}) {
    EXPECT_THROW(make_crop(options)->output(format), ShapeError);
  }
  for (const CropOptions& options : {CropOptions{.y = -1}, CropOptions{.width = 0}}) {
    EXPECT_THROW(make_crop(options), ValueError);
  }
}

TEST(Pad, FollowsTheBorder) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    for (const auto& [height, width] : {std::pair<Index, Index>{4, 5}, {1, 6}, {3, 1}}) {
      const Image image = test::random_image({type, Channels::rgb, 1, 2, height, width}, 3);
      for (const Border border : {Border::reflect, Border::replicate, Border::wrap, Border::constant}) {
        PadOptions options;
        options.border = border;
        options.border_value = 300;  // clipped for uint8
        options.left = 11;
        options.right = 2;
        options.top = 7;
        options.bottom = 13;
        options.all = 1;
        const Image result = to_host(ctx, make_pad(options)->apply(ctx, clone(ctx, image)));
        ASSERT_EQ(result.format().height, height + 22);
        ASSERT_EQ(result.format().width, width + 15);
        const Image expected = test::make_image(result.format(), [&](Index slice, Index y, Index x, Index c) {
          const Index row = border_index(border, y - 8, height);
          const Index column = border_index(border, x - 12, width);
          if (row < 0 || column < 0) return type == PixelType::uint8 ? 255.0 : 300.0;
          return value_at(image, slice, row, column, c);
        });
        EXPECT_EQ(test::largest_difference(result, expected), 0) << static_cast<int>(border);
      }
    }
  }
}

TEST(Pad, RefusesToTakeAway) {
  PadOptions options;
  options.left = -1;
  EXPECT_THROW(make_pad(options), ValueError);
}

}  // namespace
}  // namespace whorl
