// Pictures: what goes out comes back, rows at a time too; what can not be written, and what is damaged.
#include "whorl/io/picture.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "support/file_content.hpp"
#include "support/file_size_limit.hpp"
#include "support/images.hpp"
#include "support/temporary_folder.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::read_file;
using test::TemporaryFolder;
using test::write_file;

ImageFormat picture(PixelType type, Channels channels, Index width, Index height) {
  return {.type = type, .channels = channels, .height = height, .width = width};
}

struct Case {
  const char* name;
  PixelType type;
  Channels channels;
};

class RoundTrip : public ::testing::TestWithParam<Case> {};

TEST_P(RoundTrip, WholeAndInRows) {
  const auto [name, type, channels] = GetParam();
  const Context ctx;
  const TemporaryFolder folder;
  // The last has rows of more than one block of those that are written at once, and more blocks than one.
  for (const auto& [width, height] : {std::pair<Index, Index>{1, 1}, {1, 7}, {9, 1}, {13, 6}, {301, 517}}) {
    const Image image = test::random_image(picture(type, channels, width, height), 5);
    const auto path = folder / name;
    write_picture(ctx, path, image);
    EXPECT_EQ(test::largest_difference(read_picture(ctx, path), image), 0) << width << " x " << height;
    EXPECT_EQ(folder.entries(), 1);

    PictureReader reader(path);
    ASSERT_EQ(reader.format(), image.format());
    PictureWriter writer(folder / (std::string("second-") + name), reader.format());
    Image band(ctx, picture(type, channels, width, 4));
    for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
      while (reader.next_row() < height) {
        const Index count = std::min<Index>(3, height - reader.next_row());
        reader.read_rows(ctx, band, 1, count);
        if (pass == 1) writer.write_rows(ctx, band, 1, count);
      }
      EXPECT_THROW(reader.read_rows(ctx, band, 0, 1), ValueError);
    }
    EXPECT_FALSE(std::filesystem::exists(folder / (std::string("second-") + name)));
    writer.commit();
    EXPECT_EQ(read_file(folder / (std::string("second-") + name)), read_file(path));
    std::filesystem::remove(folder / (std::string("second-") + name));
  }
}

constexpr auto u8 = PixelType::uint8;
constexpr auto u16 = PixelType::uint16;
INSTANTIATE_TEST_SUITE_P(Pictures, RoundTrip,
                         ::testing::Values(Case{"a.bmp", u8, Channels::gray}, Case{"a.bmp", u8, Channels::rgb},
                                           Case{"a.bmp", u8, Channels::rgba}, Case{"a.pgm", u8, Channels::gray},
                                           Case{"a.pgm", u16, Channels::gray}, Case{"a.ppm", u8, Channels::rgb},
                                           Case{"a.ppm", u16, Channels::rgb}, Case{"a.pnm", u8, Channels::gray},
                                           Case{"a.pam", u8, Channels::gray}, Case{"a.pam", u16, Channels::gray_alpha},
                                           Case{"a.pam", u8, Channels::rgba}, Case{"a.pam", u16, Channels::rgb},
                                           Case{"a.png", u8, Channels::gray}, Case{"a.png", u8, Channels::gray_alpha},
                                           Case{"a.png", u8, Channels::rgb}, Case{"a.png", u8, Channels::rgba},
                                           Case{"a.png", u16, Channels::gray}, Case{"a.png", u16, Channels::gray_alpha},
                                           Case{"a.png", u16, Channels::rgb}, Case{"a.PNG", u16, Channels::rgba}));
#if WHORL_WITH_TIFF
INSTANTIATE_TEST_SUITE_P(Tiff, RoundTrip,
                         ::testing::Values(Case{"a.tif", u8, Channels::gray}, Case{"a.tif", u16, Channels::gray_alpha},
                                           Case{"a.tiff", u8, Channels::rgb}, Case{"a.tif", u16, Channels::rgba}));
#endif

TEST(Picture, TheExtensionSaysWhatCanBeWritten) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto refusal = [&](const char* name, const ImageFormat& format) {
    return error_of<ValueError>([&] { write_picture(ctx, folder / name, Image(ctx, format)); });
  };
  EXPECT_NE(refusal("a.gif", picture(u8, Channels::gray, 2, 3)).find(".bmp, .pam, .pgm, .png"), std::string::npos);
  EXPECT_NE(refusal("png", picture(u8, Channels::gray, 2, 3)).find("extension"), std::string::npos);
  EXPECT_NE(refusal("a.bmp", picture(u16, Channels::gray, 2, 3)).find("convert it to uint8 first, or write .png"),
            std::string::npos);
  EXPECT_NE(refusal("a.bmp", picture(u8, Channels::gray_alpha, 2, 3)).find("write .png"), std::string::npos);
  EXPECT_NE(refusal("a.pgm", picture(u8, Channels::rgb, 2, 3)).find("2 x 3 RGB uint8"), std::string::npos);
  EXPECT_NE(refusal("a.png", picture(PixelType::float32, Channels::rgb, 2, 3)).find("uint8 or uint16"),
            std::string::npos);
  EXPECT_NE(refusal("a.png", picture(PixelType::float32, Channels::complex, 2, 3)).find("magnitude"),
            std::string::npos);
  EXPECT_NE(refusal("a.png", {.depth = 2, .height = 3, .width = 2}).find("one slice"), std::string::npos);
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Picture, NothingIsLeftOfOneThatIsNotFinished) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const char* name : {"a.bmp", "a.png", "a.ppm"}) {
    const Image image = test::random_image(picture(u8, Channels::rgb, 100, 100), 3);
    {
      PictureWriter writer(folder / name, image.format());
      writer.write_rows(ctx, image, 0, 40);
      EXPECT_THROW(writer.commit(), ValueError);
      EXPECT_THROW(writer.write_rows(ctx, image, 0, 61), ValueError);
    }
    const test::FileSizeLimit limit(1000);
    EXPECT_THROW(write_picture(ctx, folder / name, image), IoError) << name;
  }
  EXPECT_EQ(folder.entries(), 0);
}

TEST(Picture, BandsMustFit) {
  const Context ctx;
  const TemporaryFolder folder;
  write_picture(ctx, folder / "a.png", test::random_image(picture(u8, Channels::rgb, 4, 5), 1));
  PictureReader reader(folder / "a.png");
  Image band(ctx, picture(u8, Channels::rgb, 4, 2));
  EXPECT_THROW(reader.read_rows(ctx, band, 1, 2), ShapeError);
  EXPECT_THROW(reader.read_rows(ctx, band, -1, 1), ShapeError);
  Image narrow(ctx, picture(u8, Channels::rgb, 3, 2));
  EXPECT_THROW(reader.read_rows(ctx, narrow, 0, 2), ShapeError);
  Image gray(ctx, picture(u8, Channels::gray, 4, 2));
  EXPECT_THROW(reader.read_rows(ctx, gray, 0, 2), ShapeError);
  std::vector<std::byte> bytes(13);
  EXPECT_THROW(reader.read_rows(ctx, bytes), ValueError);
  EXPECT_EQ(reader.next_row(), 0);
  EXPECT_EQ(reader.file_format(), "PNG");
}

TEST(Picture, CutAnywhereItIsRefused) {
  const Context ctx;
  const TemporaryFolder folder;
  for (const char* name : {"a.bmp", "a.png", "a.ppm", "a.pam"}) {
    write_picture(ctx, folder / name, test::random_image(picture(u8, Channels::rgb, 4, 5), 2));
    const std::string whole = read_file(folder / name);
    for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
      write_file(folder / "cut", whole.substr(0, bytes));
      EXPECT_THROW(read_picture(ctx, folder / "cut"), IoError) << name << ", " << bytes << " of " << whole.size();
    }
  }
}

TEST(Picture, FilesThatAreNone) {
  const Context ctx;
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& bytes) {
    write_file(folder / "a", bytes);
    return error_of<IoError>([&] { read_picture(ctx, folder / "a"); });
  };
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
  EXPECT_NE(refusal("BMI: 22, weight: 70 and more text than fits").find("expected BMP"), std::string::npos);
  EXPECT_NE(refusal("\x1f\x8b compressed").find("decompress"), std::string::npos);
  EXPECT_NE(error_of<IoError>([&] { read_picture(ctx, folder.path()); }).find("folder"), std::string::npos);
  EXPECT_NE(error_of<IoError>([&] { read_picture(ctx, folder / "none"); }).find("none"), std::string::npos);
}

}  // namespace
}  // namespace whorl
