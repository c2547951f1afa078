#include <gtest/gtest.h>
#include <png.h>

#include <limits>
#include <numeric>
#include <vector>

#include "support/file_content.hpp"
#include "support/file_size_limit.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/png.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::TemporaryFolder;

struct Picture {
  Index width = 0;
  Index height = 0;
  std::vector<png_byte> pixels;
  int at(Index y, Index x) const { return pixels[static_cast<std::size_t>(y * width + x)]; }
};

Picture read_back(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  EXPECT_EQ(image.format, static_cast<png_uint_32>(PNG_FORMAT_GRAY));
  image.format = PNG_FORMAT_GRAY;
  Picture picture{image.width, image.height, std::vector<png_byte>(PNG_IMAGE_SIZE(image))};
  EXPECT_NE(png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr), 0) << image.message;
  return picture;
}

Picture paint(const Array<float>& images, const PngOptions& options = {}) {
  const TemporaryFolder folder;
  write_png(Context(), folder / "a.png", images, options);
  EXPECT_EQ(folder.entries(), 1);
  return read_back(folder / "a.png");
}

TEST(Png, AWindowIsLinearAndClips) {
  const Context ctx;
  Array<float> image(ctx, {2, 3});
  const std::vector<float> values{0.5F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F};
  std::copy(values.begin(), values.end(), image.span().begin());
  const Picture picture = paint(image, {.low = 1, .high = 4.0, .tiles = {}});
  EXPECT_EQ(picture.width, 3);
  EXPECT_EQ(picture.height, 2);
  EXPECT_EQ(picture.pixels, (std::vector<png_byte>{0, 0, 85, 170, 255, 255}));
}

TEST(Png, TheDefaultWindowEndsAtThe995thPermille) {
  const Context ctx;
  Array<float> image(ctx, {10, 100});
  std::iota(image.span().begin(), image.span().end(), 0.0F);
  // The element of rank floor(0.995 * 999) = 994 of 0 .. 999 is white, and half of it the gray round(255/2) = 128.
  const Picture picture = paint(image);
  EXPECT_EQ(picture.at(9, 94), 255);
  EXPECT_EQ(picture.at(9, 92), 254);  // 992/994 * 255 = 254.49
  EXPECT_EQ(picture.at(4, 97), 128);
  EXPECT_EQ(picture.at(0, 0), 0);
}

TEST(Png, AFewBrightPixelsAndAFlatImage) {
  const Context ctx;
  auto image = zeros<float>(ctx, {20, 30});
  EXPECT_EQ(paint(image).at(3, 4), 0);
  image.span()[17] = 8;
  EXPECT_EQ(paint(image).at(0, 17), 255);
}

TEST(Png, TheMontageIsNearlySquareAndInOrder) {
  const Context ctx;
  // 6 images of 4 x 2 pixels: 12 columns wide in 1 row would be 12 x 4; 3 columns give 6 x 8, 4 give 8 x 8.
  Array<float> images(ctx, {2, 3, 4, 2});
  for (Index i = 0; i < 6; ++i) fill<float>(images.ref().reshape({6, 4, 2}).slice(i), static_cast<float>(i + 1));
  const PngOptions window{.low = 0, .high = 255.0, .tiles = {}};
  const Picture picture = paint(images, window);
  EXPECT_EQ(picture.width, 3 * 2);  // round(sqrt(6 * 4 / 2)) = 3
  EXPECT_EQ(picture.height, 2 * 4);
  EXPECT_EQ(picture.at(0, 0), 1);
  EXPECT_EQ(picture.at(3, 5), 3);
  EXPECT_EQ(picture.at(4, 0), 4);
  EXPECT_EQ(picture.at(7, 5), 6);
}

TEST(Png, TilesAreEvenlySpacedAndEmptyPlacesBlack) {
  const Context ctx;
  Array<float> images(ctx, {9, 2, 2});
  for (Index i = 0; i < 9; ++i) fill<float>(images.slice(i), static_cast<float>(10 * i));
  const auto shown = [&](Index tiles) { return paint(images, {.low = 0, .high = 255.0, .tiles = tiles}); };
  EXPECT_EQ(shown(1).at(0, 0), 40);  // the middle one of 0 .. 8
  const Picture three = shown(3);    // 2 columns, 2 rows, one place empty
  EXPECT_EQ(three.width, 4);
  EXPECT_EQ(three.at(0, 0), 10);
  EXPECT_EQ(three.at(0, 2), 40);
  EXPECT_EQ(three.at(2, 0), 70);
  EXPECT_EQ(three.at(2, 2), 0);
  EXPECT_EQ(shown(100).width, 6);
}

TEST(Png, ZoomMakesSquaresOfPixels) {
  const Context ctx;
  Array<float> image(ctx, {2, 3});
  for (Index i = 0; i < 6; ++i) image.span()[static_cast<std::size_t>(i)] = static_cast<float>(40 * i);
  const Picture picture = paint(image, {.low = 0, .high = 255.0, .tiles = {}, .zoom = 4});
  EXPECT_EQ(picture.width, 12);
  EXPECT_EQ(picture.height, 8);
  for (Index y = 0; y < 8; ++y) {
    for (Index x = 0; x < 12; ++x) EXPECT_EQ(picture.at(y, x), 40 * (3 * (y / 4) + x / 4)) << y << " " << x;
  }
}

// The least whole factor with which the longer side has 512 pixels.
TEST(Png, SmallPicturesAreEnlargedToBeSeen) {
  for (const Index side : {1, 2, 64, 100, 192, 255, 256, 257, 511, 512, 513, 4000}) {
    for (const Index zoom : {comfortable_zoom(side, 1), comfortable_zoom(1, side)}) {
      EXPECT_GE(zoom * side, 512) << side;
      EXPECT_TRUE(zoom == 1 || (zoom - 1) * side < 512) << side;
    }
  }
  const Picture picture = paint(zeros<float>(Context(), {100, 80}), {.low = 0, .high = 255.0, .tiles = {}, .zoom = 0});
  EXPECT_EQ(picture.width, 480);
  EXPECT_EQ(picture.height, 600);
}

TEST(Png, RowsRunDownward) {
  const Context ctx;
  auto image = zeros<float>(ctx, {5, 3});
  image.view<2>()(4, 1) = 1;
  EXPECT_EQ(paint(image).at(4, 1), 255);
}

TEST(Png, BadInputIsRefused) {
  const Context ctx;
  const TemporaryFolder folder;
  auto image = zeros<float>(ctx, {4, 5});
  // What the images do not decide is refused before there are any.
  const auto write = [&](const PngOptions& options) {
    EXPECT_THROW(check_png(image.shape(), options), ValueError);
    write_png(ctx, folder / "a.png", image, options);
  };
  EXPECT_THROW(write({.low = 2, .high = 2.0, .tiles = {}}), ValueError);
  EXPECT_THROW(write({.low = std::numeric_limits<double>::quiet_NaN(), .high = {}, .tiles = {}}), ValueError);
  EXPECT_THROW(write({.low = 0, .high = {}, .tiles = 0}), ValueError);
  EXPECT_THROW(write({.low = 0, .high = 1.0, .tiles = {}, .zoom = -1}), ValueError);
  EXPECT_THROW(write({.low = 0, .high = 1.0, .tiles = {}, .zoom = 20000}), ValueError);
  EXPECT_THROW(write_png(ctx, folder / "a.png", zeros<float>(ctx, {4})), ShapeError);
  EXPECT_THROW(write_png(ctx, folder / "a.png", zeros<float>(ctx, {4, 0})), ShapeError);
  EXPECT_NE(error_of<ValueError>([&] {
              write_png(ctx, folder / "a.png", zeros<float>(ctx, {2, 70000}));
            }).find("fewer tiles"),
            std::string::npos);
  EXPECT_THROW(check_png({2, 70000}), ValueError);
  EXPECT_THROW(check_png({4, 0}), ShapeError);
  EXPECT_NO_THROW(check_png(image.shape()));
  EXPECT_NO_THROW(check_png(image.shape(), {.low = 1, .high = 2.0, .tiles = 3, .zoom = 0}));
  {
    const test::FileSizeLimit limit(16);
    EXPECT_THROW(write_png(ctx, folder / "a.png", image), IoError);
  }
  image.view<2>()(2, 3) = std::numeric_limits<float>::infinity();
  EXPECT_NE(error_of<ValueError>([&] { write_png(ctx, folder / "a.png", image); }).find("x 3, y 2 of image 0"),
            std::string::npos);
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace whorl
