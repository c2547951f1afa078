#include "whorl/filter/flip.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace whorl
