#include "whorl/filter/geometry/flip.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "support/device.hpp"
#include "support/images.hpp"

namespace whorl {
namespace {

using test::value_at;

TEST(Flip, MirrorsOneAxis) {
  const Context ctx = test::device_context();
  for (const PixelType type : {PixelType::uint8, PixelType::uint16, PixelType::float32}) {
    // A row shorter than a vector, and one of whole words.
    for (const Index width : {7, 44}) {
      const Image image = test::random_image({type, Channels::rgb, 2, 3, 5, width}, 3);
      for (const ImageAxis axis : {ImageAxis::x, ImageAxis::y, ImageAxis::z}) {
        const Image result = to_host(ctx, make_flip({axis})->apply(ctx, clone(ctx, image)));
        const Image expected = test::make_image(image.format(), [&](Index slice, Index y, Index x, Index c) {
          const Index z = slice % 3;
          const Index volume = slice / 3;
          return value_at(image, volume * 3 + (axis == ImageAxis::z ? 2 - z : z), axis == ImageAxis::y ? 4 - y : y,
                          axis == ImageAxis::x ? width - 1 - x : x, c);
        });
        EXPECT_EQ(test::largest_difference(result, expected), 0);
      }
    }
  }
}

// Rows of several vectors, of images that are larger than caches and of one that is not.
TEST(Flip, MirrorsLongRows) {
  const Context ctx = test::device_context();
  for (const auto& [type, channels, height, width] :
       {std::tuple<PixelType, Channels, Index, Index>{PixelType::uint8, Channels::gray, 3, 1021},
        {PixelType::uint8, Channels::gray, 2051, 4201},
        {PixelType::uint16, Channels::gray_alpha, 1033, 2077},
        {PixelType::float32, Channels::gray, 1031, 2113},
        {PixelType::float32, Channels::complex, 519, 2064},
        {PixelType::float32, Channels::rgb, 517, 1409}}) {
    const ImageFormat format{type, channels, 1, 1, height, width};
    const double levels = type == PixelType::float32 ? 1 : 251;
    const auto number = [&](Index y, Index x, Index c) {
      return levels * static_cast<double>((y * 31 + x * 7 + c * 5) % 251) / 251;
    };
    const Image image = test::make_image(format, [&](Index, Index y, Index x, Index c) { return number(y, x, c); });
    const Image expected =
        test::make_image(format, [&, w = width](Index, Index y, Index x, Index c) { return number(y, w - 1 - x, c); });
    const Image result = to_host(ctx, make_flip({ImageAxis::x})->apply(ctx, clone(ctx, image)));
    EXPECT_EQ(test::largest_difference(result, expected), 0);
  }
}

}  // namespace
}  // namespace whorl
