// BMP against bmpsuite's pictures and files written by hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "support/file_content.hpp"
#include "support/images.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/picture.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::value_at;
using test::write_file;

std::string number(std::uint32_t value, int bytes = 4) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

struct Bmp {
  std::int32_t width = 3;
  std::int32_t height = 2;
  int bits = 8;
  std::uint32_t coding = 0;
  std::uint32_t colors = 0;
  std::uint32_t masks = 0;  ///< bytes of masks
  std::string more;         ///< masks, palette
  std::string pixels;

  std::string bytes() const {
    const auto at = static_cast<std::uint32_t>(54 + more.size());
    return "BM" + number(0) + number(0) + number(at) + number(40) + number(static_cast<std::uint32_t>(width)) +
           number(static_cast<std::uint32_t>(height)) + number(1, 2) + number(static_cast<std::uint32_t>(bits), 2) +
           number(coding) + number(0) + number(0) + number(0) + number(colors) + number(0) + more + pixels;
  }
};

/// Gray and red so that the palette is none of grays.
const std::string four_colors = number(0x000000) + number(0x101010) + number(0x202020) + number(0xFF0000);

class BmpFiles : public ::testing::Test {
 protected:
  Image read(const Bmp& bmp) {
    write_file(folder_ / "a.bmp", bmp.bytes());
    return read_picture(ctx_, folder_ / "a.bmp");
  }
  std::string refusal(const Bmp& bmp) {
    return error_of<IoError>([&] { read(bmp); });
  }
  /// The reds of the palette's colors: 0, 16, 32 and 255.
  std::vector<int> reds(const Image& image) {
    std::vector<int> values;
    for (Index y = 0; y < image.format().height; ++y) {
      for (Index x = 0; x < image.format().width; ++x) values.push_back(static_cast<int>(value_at(image, 0, y, x)));
    }
    return values;
  }
  Context ctx_;
  test::TemporaryFolder folder_;
};

/// Compares colors; a gray picture's are all its number.
void expect_near(const Image& image, const Image& expected, double difference, const std::string& name) {
  ASSERT_EQ(image.format().height, expected.format().height) << name;
  ASSERT_EQ(image.format().width, expected.format().width) << name;
  const auto color = [](const Image& from, Index y, Index x, Index channel) {
    return value_at(from, 0, y, x, from.format().channels == Channels::gray ? 0 : channel);
  };
  for (Index y = 0; y < image.format().height; ++y) {
    for (Index x = 0; x < image.format().width; ++x) {
      for (Index channel = 0; channel < 3; ++channel) {
        ASSERT_NEAR(color(image, y, x, channel), color(expected, y, x, channel), difference)
            << name << ": row " << y << ", column " << x;
      }
    }
  }
}

TEST_F(BmpFiles, OfBmpsuite) {
  const char* data = std::getenv("WHORL_TEST_DATA");
  if (data == nullptr) GTEST_SKIP() << "WHORL_TEST_DATA is not set";
  const auto good = std::filesystem::path(data) / "images/bmp_good";
  // Pictures whose expected picture has another name, as bmpsuite pairs them.
  const std::map<std::string, std::string> same{{"pal1wb", "pal1"},
                                                {"pal4rle", "pal4"},
                                                {"pal8-0", "pal8"},
                                                {"pal8nonsquare", "pal8nonsquare-e"},
                                                {"pal8os2", "pal8"},
                                                {"pal8rle", "pal8"},
                                                {"pal8topdown", "pal8"},
                                                {"pal8v4", "pal8"},
                                                {"pal8v5", "pal8"},
                                                {"rgb24pal", "rgb24"},
                                                {"rgb16-565pal", "rgb16-565"},
                                                {"rgb32", "rgb24"},
                                                {"rgb32bf", "rgb24"}};
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(good)) {
    if (entry.path().extension() != ".bmp") continue;
    const std::string name = entry.path().stem().string();
    const auto found = same.find(name);
    const Image expected =
        read_picture(ctx_, good / "expected_png" / ((found == same.end() ? name : found->second) + ".png"));
    // The palettes of these pictures' PNGs have a green of 42 where the BMPs have 43 (0x2B).
    expect_near(read_picture(ctx_, entry.path()), expected, name.starts_with("pal8") ? 1 : 0, name);
    ++count;
  }
  EXPECT_EQ(count, 23);
}

TEST_F(BmpFiles, EightBitsFromTheBottomUp) {
  const Image image = read({.colors = 4, .more = four_colors, .pixels = std::string("\0\1\2\0\3\3\1\0", 8)});
  EXPECT_EQ(image.format().channels, Channels::rgb);
  EXPECT_EQ(reds(image), (std::vector<int>{255, 255, 16, 0, 16, 32}));
}

TEST_F(BmpFiles, GrayPalettesAreGray) {
  const Image image = read({.bits = 4,
                            .colors = 3,
                            .more = number(0x050505) + number(0x070707) + number(0xFFFFFF),
                            .pixels = std::string("\x01\x20\0\0\x22\x00\0\0", 8)});
  EXPECT_EQ(image.format().channels, Channels::gray);
  EXPECT_EQ(reds(image), (std::vector<int>{255, 255, 5, 5, 7, 255}));
}

TEST_F(BmpFiles, RunsStepsAndLiterals) {
  // From the bottom: a run of 2, end of row; a step by 1; a literal of 3, padded; a step up by one row from column 4.
  Bmp bmp{.width = 5,
          .height = 4,
          .coding = 1,
          .colors = 4,
          .more = four_colors,
          .pixels = std::string("\2\3\0\0"
                                "\0\2\1\0\0\3\1\2\3\0\0\2\0\1\1\1"
                                "\0\0\1\2\0\1",
                                26)};
  EXPECT_EQ(reds(read(bmp)), (std::vector<int>{32,  0,   0,  0,   0,   //
                                               0,   0,   0,  0,   16,  //
                                               0,   16,  32, 255, 0,   //
                                               255, 255, 0,  0,   0}));
  bmp.pixels.resize(24);  // without the end of the picture
  EXPECT_NE(refusal(bmp).find("truncated"), std::string::npos);
  bmp.pixels = std::string("\6\1\0\1", 4);
  EXPECT_NE(refusal(bmp).find("column 6 of a picture of 5"), std::string::npos);
  bmp.height = -4;
  EXPECT_NE(refusal(bmp).find("from the top"), std::string::npos);
}

TEST_F(BmpFiles, RunsOfNibbles) {
  // Five of 1 and 3 in turn; a literal of three, whose two bytes need no padding.
  const Image image = read({.width = 5,
                            .bits = 4,
                            .coding = 2,
                            .colors = 4,
                            .more = four_colors,
                            .pixels = std::string("\5\x13\0\0\0\3\x12\x30\0\1", 10)});
  EXPECT_EQ(reds(image), (std::vector<int>{16, 32, 255, 0, 0, 16, 255, 16, 255, 16}));
}

TEST_F(BmpFiles, FieldsOfBits) {
  // 2 bits of alpha, 10 of red, 10 of green, 10 of blue: v becomes round(255 v / 1023), round(255 v / 3).
  const Image image = read({.width = 1,
                            .height = -2,
                            .bits = 32,
                            .coding = 6,
                            .more = number(0x3FF00000) + number(0xFFC00) + number(0x3FF) + number(0xC0000000),
                            .pixels = number(0xFFF00000) + number((1U << 30U) | (512U << 20U) | (3U << 10U) | 2U)});
  ASSERT_EQ(image.format().channels, Channels::rgba);
  const std::vector<int> expected{255, 0, 0, 255, 128, 1, 0, 85};
  for (Index i = 0; i < 8; ++i) EXPECT_EQ(value_at(image, 0, i / 4, 0, i % 4), expected[static_cast<std::size_t>(i)]);
}

TEST_F(BmpFiles, WrongOnes) {
  const Bmp good{.colors = 4, .more = four_colors, .pixels = std::string(8, '\0')};
  EXPECT_EQ(reds(read(good)), std::vector<int>(6));
  const auto changed = [&](const auto& change) {
    Bmp bmp = good;
    change(bmp);
    return refusal(bmp);
  };
  const auto expect = [](const std::string& message, const char* part) {
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  expect(changed([](Bmp& bmp) { bmp.pixels[5] = 4; }), "row 0, column 1 has color 4 of a palette of 4");
  expect(changed([](Bmp& bmp) { bmp.pixels.resize(6); }), "truncated");
  expect(changed([](Bmp& bmp) { bmp.width = 0; }), "0 x 2 pixels");
  expect(changed([](Bmp& bmp) { bmp.width = -3; }), "-3 x 2 pixels");
  expect(changed([](Bmp& bmp) { bmp.height = 0; }), "3 x 0 pixels");
  expect(changed([](Bmp& bmp) { bmp.height = std::numeric_limits<std::int32_t>::min(); }), "can hold");
  expect(changed([](Bmp& bmp) { bmp.width = bmp.height = std::numeric_limits<std::int32_t>::max(); }), "can hold");
  expect(changed([](Bmp& bmp) { bmp.bits = 7; }), "7 bits");
  expect(changed([](Bmp& bmp) { bmp.coding = 2; }), "not stored by coding 2");
  expect(changed([](Bmp& bmp) {
           bmp.coding = 1;
           bmp.width = bmp.height = 30000;
         }),
         "can hold");
  expect(changed([](Bmp& bmp) {
           bmp.bits = 16;
           bmp.coding = 3;
           bmp.more = number(0x1F) + number(0x3F) + number(0x7C00);
         }),
         "told apart");
  Bmp jpeg = good;
  jpeg.coding = 4;
  EXPECT_THROW(read(jpeg), Unsupported);
}

}  // namespace
}  // namespace whorl
