#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "support/file_content.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/core/error.hpp"
#include "whorl/io/png.hpp"
#include "whorl/plot/colorbar.hpp"
#include "whorl/plot/montage.hpp"

namespace whorl {
namespace {

Array<float> ramp(const Context& ctx, const Shape& shape, float first = 0) {
  Array<float> images(ctx, shape);
  std::iota(images.span().begin(), images.span().end(), first);
  return images;
}

// What libpng reads, as RGB, and whether the file has color.
std::pair<Picture, bool> read_back(const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_file(&image, path.c_str()), 0) << image.message;
  const bool color = (image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  image.format = PNG_FORMAT_RGB;
  std::vector<png_byte> bytes(PNG_IMAGE_SIZE(image));
  EXPECT_NE(png_image_finish_read(&image, nullptr, bytes.data(), 0, nullptr), 0) << image.message;
  Picture picture = blank_picture(image.width, image.height, {});
  for (std::size_t i = 0; i < bytes.size(); ++i) picture.pixels[i / 3][i % 3] = bytes[i];
  return {std::move(picture), color};
}

TEST(MontagePicture, TheGrayOneIsThatOfWritePng) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const auto images = ramp(ctx, {7, 5, 6});
  write_png(ctx, folder / "gray.png", images, {.low = 0, .high = {}, .tiles = 5});
  const auto [expected, unused] = read_back(folder / "gray.png");
  const Picture picture = montage_picture(ctx, images, {.tiles = 5});
  EXPECT_EQ(picture.width, expected.width);
  EXPECT_EQ(picture.height, expected.height);
  EXPECT_EQ(picture.pixels, expected.pixels);
}

TEST(MontagePicture, ColorsFollowTheWindow) {
  const Context ctx;
  const auto image = ramp(ctx, {2, 3});
  const Picture picture =
      montage_picture(ctx, image, {.colormap = Colormap::hot, .window = DisplayWindow{1, 5}, .tiles = {}, .zoom = 2});
  EXPECT_EQ(picture.width, 6);
  EXPECT_EQ(picture.height, 4);
  for (const auto& [y, x, value] :
       {std::tuple(0, 0, 0), std::tuple(1, 5, 2), std::tuple(2, 2, 4), std::tuple(3, 5, 5)}) {
    EXPECT_EQ(picture.at(y, x), color_of(Colormap::hot, (value - 1) / 4.0)) << y << " " << x;
  }
}

TEST(MontagePicture, DefaultWindows) {
  const Context ctx;
  // The 99.5th percentile of 0 .. 999 is that of rank floor(0.995 * 999) = 994.
  const auto positive = default_window(ctx, ramp(ctx, {10, 100}));
  EXPECT_EQ(positive.low, 0);
  EXPECT_EQ(positive.high, 994);
  // The magnitudes of -100 .. 899 are 0 .. 100 twice nearly and on to 899: rank 994 is the sixth from above, 894.
  const auto both = default_window(ctx, ramp(ctx, {10, 100}, -100));
  EXPECT_EQ(both.low, -894);
  EXPECT_EQ(both.high, 894);
  const auto percentile = percentile_window(ramp(ctx, {10, 100}), 10, 50);
  EXPECT_EQ(percentile.low, 99);
  EXPECT_EQ(percentile.high, 499);
  const auto flat = percentile_window(zeros<float>(ctx, {3, 3}), 0, 100);
  EXPECT_GT(flat.high, flat.low);
}

TEST(MontagePicture, BadInputIsRefused) {
  const Context ctx;
  auto image = ramp(ctx, {2, 3});
  const auto make = [&](const MontageOptions& options) { montage_picture(ctx, image, options); };
  EXPECT_THROW(make({.window = DisplayWindow{1, 1}}), ValueError);
  EXPECT_THROW(make({.window = DisplayWindow{0, std::numeric_limits<double>::infinity()}}), ValueError);
  EXPECT_THROW(make({.tiles = 0}), ValueError);
  EXPECT_THROW(make({.zoom = 0}), ValueError);
  EXPECT_THROW(make({.zoom = 60000}), ValueError);
  EXPECT_THROW(percentile_window(image, 50, 50), ValueError);
  EXPECT_THROW(percentile_window(image, 0, 101), ValueError);
  EXPECT_THROW(montage_picture(ctx, zeros<float>(ctx, {4})), ShapeError);
  image.span()[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(test::error_of<ValueError>([&] { make({}); }).find("x 1, y 1"), std::string::npos);
}

TEST(WritePicture, KeepsColorsAndDropsThemWhereThereAreNone) {
  const Context ctx;
  const test::TemporaryFolder folder;
  Picture picture = blank_picture(3, 2, {10, 20, 30});
  picture.at(1, 2) = {200, 100, 0};
  write_picture(ctx, folder / "a.png", picture);
  const auto [color, has_color] = read_back(folder / "a.png");
  EXPECT_TRUE(has_color);
  EXPECT_EQ(color.pixels, picture.pixels);
  write_picture(ctx, folder / "b.png", blank_picture(3, 2, {9, 9, 9}));
  const auto [gray, unused] = read_back(folder / "b.png");
  EXPECT_FALSE(unused);
  EXPECT_EQ(gray.at(1, 1), (Color{9, 9, 9}));
  EXPECT_THROW(write_picture(ctx, folder / "b.jpg", picture), ValueError);
  EXPECT_THROW(write_picture(ctx, folder / "c.png", Picture{}), ValueError);
  EXPECT_THROW(write_picture(ctx, folder / "missing" / "c.png", picture), IoError);
  EXPECT_THROW(blank_picture(70000, 1, {}), ValueError);
  EXPECT_EQ(folder.entries(), 2);
}

TEST(Stacked, OneBelowTheOther) {
  const Picture both = stacked(blank_picture(2, 1, {1, 1, 1}), blank_picture(3, 2, {2, 2, 2}), 1);
  EXPECT_EQ(both.width, 3);
  EXPECT_EQ(both.height, 4);
  EXPECT_EQ(both.at(0, 1), (Color{1, 1, 1}));
  EXPECT_EQ(both.at(0, 2), (Color{0, 0, 0}));
  EXPECT_EQ(both.at(1, 0), (Color{0, 0, 0}));
  EXPECT_EQ(both.at(3, 2), (Color{2, 2, 2}));
}

TEST(Colorbar, StandsAtTheRightFromHighToLow) {
  const Picture picture = blank_picture(50, 200, {7, 7, 7});
  const DisplayWindow window{-2, 3};
  const Picture with = with_colorbar(picture, Colormap::blue_yellow, window);
  EXPECT_EQ(with.height, 200);
  EXPECT_EQ(with.at(199, 49), (Color{7, 7, 7}));
  // The bar begins 8 pixels right of the picture and runs from 8 below the top to 8 above the bottom.
  EXPECT_EQ(with.at(7, 59), (Color{0, 0, 0}));
  EXPECT_EQ(with.at(8, 59), color_of(Colormap::blue_yellow, 1));
  EXPECT_EQ(with.at(191, 59), color_of(Colormap::blue_yellow, 0));
  EXPECT_EQ(with.at(192, 59), (Color{0, 0, 0}));
  // Ticks at -2 .. 3 where the values are: a white line right of the bar.
  const auto is_tick = [&](Index y) { return with.at(y, 50 + 8 + 14 + 1) == Color{255, 255, 255}; };
  int ticks = 0;
  for (Index y = 0; y < 200; ++y) ticks += is_tick(y) ? 1 : 0;
  EXPECT_GE(ticks, 3);
  EXPECT_LE(ticks, 6);
  // 0 lies 2/5 up the bar.
  const auto zero = static_cast<Index>(std::lround(191 - 0.4 * 183));
  EXPECT_TRUE(is_tick(zero) || is_tick(zero - 1) || is_tick(zero + 1));
  // Numbers are written, and a label takes room.
  int bright = 0;
  for (Index y = 0; y < 200; ++y) {
    for (Index x = 50 + 8 + 14 + 5; x < with.width; ++x) bright += with.at(y, x)[0] > 128 ? 1 : 0;
  }
  EXPECT_GT(bright, 20);
  EXPECT_GT(with_colorbar(picture, Colormap::gray, window, "phase (rad)").width, with.width);
}

TEST(Colorbar, SmallPicturesGetABarThatCanBeRead) {
  EXPECT_EQ(with_colorbar(blank_picture(5, 4, {}), Colormap::gray, {0, 1e-5}).height, 120);
  // A window at the limit of double holds no round number, or one.
  const DisplayWindow narrow{1, std::nextafter(1.0, 2.0)};
  EXPECT_EQ(with_colorbar(blank_picture(5, 4, {}), Colormap::gray, narrow).height, 120);
  EXPECT_THROW(with_colorbar(blank_picture(5, 4, {}), Colormap::gray, {1, 1}), ValueError);
  EXPECT_THROW(with_colorbar(Picture{}, Colormap::gray, {0, 1}), ValueError);
}

}  // namespace
}  // namespace whorl
