#include "whorl/core/image.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "support/images.hpp"
#include "whorl/core/error.hpp"

namespace whorl {
namespace {

TEST(Image, HoldsWhatItsFormatSays) {
  const ImageFormat format{PixelType::uint16, Channels::rgba, 2, 3, 5, 7};
  EXPECT_EQ(format.shape(), (Shape{2, 3, 5, 7, 4}));
  EXPECT_EQ(format.slices(), 6);
  EXPECT_EQ(format.row(), 28);
  EXPECT_EQ(format.bytes(), 2U * 2 * 3 * 5 * 7 * 4);
  const Image image = test::random_image(format, 3);
  EXPECT_EQ(image.pixels<std::uint16_t>().shape(), format.shape());
  EXPECT_THROW(image.pixels<float>(), ValueError);
  EXPECT_EQ(to_string(format), "2 volumes of 7 x 5 x 3 RGBA uint16");
}

TEST(Image, IsCopiedPixelByPixel) {
  const Context ctx({.threads = 1});
  const Image image = test::random_image({PixelType::uint8, Channels::rgb, 1, 1, 5, 7}, 3);
  const Image copied = clone(ctx, image);
  EXPECT_EQ(test::largest_difference(image, copied), 0);
  EXPECT_NE(image.pixels<std::uint8_t>().data(), copied.pixels<std::uint8_t>().data());
  Image other(ctx, {PixelType::uint8, Channels::rgb, 1, 1, 7, 5});
  EXPECT_THROW(copy(ctx, image, other), ShapeError);
}

TEST(Image, RefusesFormatsThatAreNone) {
  const Context ctx({.threads = 1});
  EXPECT_THROW(Image(ctx, {PixelType::uint8, Channels::gray, 1, 1, 0, 7}), ValueError);
  EXPECT_THROW(Image(ctx, {PixelType::uint8, Channels::complex, 1, 1, 4, 7}), ValueError);
}

TEST(Image, RefersToPixelsOfTheCaller) {
  const Context ctx({.threads = 1});
  std::vector<std::uint8_t> bytes{1, 2, 3, 4, 5, 6};
  const ImageFormat format{.type = PixelType::uint8, .channels = Channels::gray, .height = 2, .width = 3};
  Image image(format, Array<std::uint8_t>::refer_to(ArrayRef<std::uint8_t>(bytes.data(), format.shape())));
  EXPECT_EQ(image.pixels<std::uint8_t>().data(), bytes.data());
  image.pixels<std::uint8_t>().span()[5] = 60;
  EXPECT_EQ(bytes[5], 60);
  const Image copied = clone(ctx, image);
  EXPECT_EQ(copied.pixels<std::uint8_t>().span()[4], 5);
}

TEST(Image, RefusesPixelsThatAreNotItsFormats) {
  const Context ctx({.threads = 1});
  const ImageFormat format{.type = PixelType::float32, .channels = Channels::rgb, .height = 2, .width = 3};
  EXPECT_NO_THROW(Image(format, Array<float>(ctx, {1, 1, 2, 3, 3})));
  EXPECT_THROW(Image(format, Array<float>(ctx, {2, 3, 3})), ShapeError);
  EXPECT_THROW(Image(format, Array<std::uint8_t>(ctx, {1, 1, 2, 3, 3})), ValueError);
  const ImageFormat complex_bytes{.type = PixelType::uint8, .channels = Channels::complex, .height = 1, .width = 1};
  EXPECT_THROW(Image(complex_bytes, Array<std::uint8_t>(ctx, {1, 1, 1, 1, 2})), ValueError);
}

}  // namespace
}  // namespace whorl
