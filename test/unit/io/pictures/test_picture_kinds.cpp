// Kinds of PNG and PNM that whorl does not write, from bytes put together here.
#include <gtest/gtest.h>
#include <zlib.h>

#include <vector>

#include "support/file_content.hpp"
#include "support/images.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/array_files.hpp"
#include "whorl/io/picture.hpp"

namespace whorl {
namespace {

using test::error_of;

class Kinds : public ::testing::Test {
 protected:
  /// The numbers of a picture with `channels` per pixel.
  std::vector<double> read(const std::string& bytes, Channels channels, PixelType type = PixelType::uint8) {
    test::write_file(path_, bytes);
    const Image image = read_picture(ctx_, path_);
    EXPECT_EQ(image.format().channels, channels);
    EXPECT_EQ(image.format().type, type);
    std::vector<double> numbers;
    const Index count = count_of(image.format().channels);
    for (Index i = 0; i < image.format().height * image.format().row(); ++i) {
      numbers.push_back(
          test::value_at(image, 0, i / image.format().row(), i % image.format().row() / count, i % count));
    }
    return numbers;
  }
  std::string refusal(const std::string& bytes) {
    test::write_file(path_, bytes);
    return error_of<IoError>([&] { read_picture(ctx_, path_); });
  }
  void expect_refusal(const std::string& bytes, const char* part) {
    const std::string message = refusal(bytes);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  }

  Context ctx_;
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a";
};
using Numbers = std::vector<double>;

std::string big_endian(std::uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

std::string chunk(const std::string& type, const std::string& data) {
  const std::string both = type + data;
  const auto check = crc32(0, reinterpret_cast<const Bytef*>(both.data()), static_cast<uInt>(both.size()));
  return big_endian(static_cast<std::uint32_t>(data.size())) + both + big_endian(static_cast<std::uint32_t>(check));
}

/// `rows`: each after its filter, 0.
std::string png(std::uint32_t width, std::uint32_t height, int bits, int color, const std::string& rows,
                const std::string& more = "", bool interlaced = false) {
  uLongf bytes = compressBound(static_cast<uLong>(rows.size()));
  std::string packed(bytes, '\0');
  compress(reinterpret_cast<Bytef*>(packed.data()), &bytes, reinterpret_cast<const Bytef*>(rows.data()),
           static_cast<uLong>(rows.size()));
  packed.resize(bytes);
  const std::string header = big_endian(width) + big_endian(height) + static_cast<char>(bits) +
                             static_cast<char>(color) + std::string(2, '\0') + (interlaced ? '\1' : '\0');
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", header) + more + chunk("IDAT", packed) + chunk("IEND", "");
}

TEST_F(Kinds, PngOfFewBits) {
  EXPECT_EQ(read(png(9, 1, 1, 0, std::string("\0\xa5\x80", 3)), Channels::gray),
            (Numbers{255, 0, 255, 0, 0, 255, 0, 255, 255}));
  EXPECT_EQ(read(png(3, 2, 4, 0, std::string("\0\x1f\x20\0\x30\x40", 6)), Channels::gray),
            (Numbers{17, 255, 34, 51, 0, 68}));
}

TEST_F(Kinds, PngPalettes) {
  const std::string colors = chunk("PLTE", "\1\2\3\4\4\4\7\7\7");
  const std::string rows("\0\x18\0\x40", 4);  // two bits each: 0 1 2, 1 0 0
  EXPECT_EQ(read(png(3, 2, 2, 3, rows, colors), Channels::rgb),
            (Numbers{1, 2, 3, 4, 4, 4, 7, 7, 7, 4, 4, 4, 1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(read(png(3, 1, 2, 3, rows.substr(0, 2), colors + chunk("tRNS", "\x80")), Channels::rgba),
            (Numbers{1, 2, 3, 128, 4, 4, 4, 255, 7, 7, 7, 255}));
  const std::string grays = chunk("PLTE", "\3\3\3\5\5\5\7\7\7");
  EXPECT_EQ(read(png(3, 2, 2, 3, rows, grays), Channels::gray), (Numbers{3, 5, 7, 5, 3, 3}));
  expect_refusal(png(3, 1, 2, 3, std::string("\0\x1c", 2), grays), "row 0, column 2 has color 3 of a palette of 3");
}

TEST_F(Kinds, PngInterlacedTwice) {
  // Adam7 of 3 x 2: pass 1 has (0,0), 6 the odd columns of even rows, 4 column 2 (from row 0), 7 the odd rows.
  const std::string rows("\0\1\0\3\0\2\0\4\5\6", 10);
  const Numbers expected{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(read(png(3, 2, 8, 0, rows, "", true), Channels::gray), expected);
  PictureReader reader(path_);
  Image image(ctx_, reader.format());
  reader.read_rows(ctx_, image, 0, 1);
  reader.rewind();
  reader.read_rows(ctx_, image, 0, 2);
  EXPECT_EQ(test::value_at(image, 0, 1, 2), 6);
}

TEST_F(Kinds, PngSixteenBitsAndATransparentColor) {
  const std::string clear = chunk("tRNS", std::string("\1\2", 2));
  EXPECT_EQ(read(png(2, 1, 16, 0, std::string("\0\1\2\xff\xfe", 5), clear), Channels::gray_alpha, PixelType::uint16),
            (Numbers{258, 0, 65534, 65535}));
}

TEST_F(Kinds, PngThatClaimsMoreThanItHas) {
  expect_refusal(png(0x7fffffff, 2, 8, 0, "ab"), "claims 2147483647 x 2");
  expect_refusal(png(60000, 60000, 16, 6, "ab", "", true), "claims 60000 x 60000");
  expect_refusal(png(2, 3, 8, 0, std::string("\0\1\2\0\3\4", 6)), "not a valid PNG");
}

TEST_F(Kinds, PnmAsText) {
  EXPECT_EQ(read("P1\n# by hand\n3 2\n101 0 1 1\n", Channels::gray), (Numbers{0, 255, 0, 255, 0, 0}));
  EXPECT_EQ(read("P2 3 1 255 7 # seven\n 0 255", Channels::gray), (Numbers{7, 0, 255}));
  // v becomes round(65535 v / 300)
  EXPECT_EQ(read("P3\n1 1\n300\n1 299 300\n", Channels::rgb, PixelType::uint16), (Numbers{218, 65317, 65535}));
  expect_refusal("P2 2 1 255 7 256", "256, the largest is said to be 255");
  expect_refusal("P2 2 1 255 7 x00", "number 1 is none");
  expect_refusal("P1 3 1 1 0 2", "number 2 is none");
  expect_refusal("P2 3 1 255 7 8", "truncated");
}

TEST_F(Kinds, PnmOfBits) {
  EXPECT_EQ(read(std::string("P4 9 2\n\xa5\x80\x00\x00", 11), Channels::gray),
            (Numbers{0, 255, 0, 255, 255, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255}));
  expect_refusal(std::string("P4 9 2\n\xa5\x80\x00", 10), "truncated");
}

TEST_F(Kinds, PnmValuesAreScaledInImagesAndAsStoredInArrays) {
  // v becomes round(255 v / 9)
  EXPECT_EQ(read(std::string("P5 4 1 9\n\0\1\4\x09", 13), Channels::gray), (Numbers{0, 28, 113, 255}));
  const NamedArray array = read_array(ctx_, path_);
  const auto values = std::get<0>(array.values).span();
  EXPECT_EQ(Numbers(values.begin(), values.end()), (Numbers{0, 1, 4, 9}));
}

TEST_F(Kinds, Pam) {
  const std::string header = "P7\nWIDTH 1\nHEIGHT 2\nDEPTH 2\nMAXVAL 255\n# of two\nTUPLTYPE GRAYSCALE_ALPHA\nENDHDR\n";
  EXPECT_EQ(read(header + "\1\2\3\4", Channels::gray_alpha), (Numbers{1, 2, 3, 4}));
  expect_refusal(header + "\1\2\3", "truncated");
  expect_refusal("P7\nWIDTH 1\nHEIGHT 2\nDEPTH 5\nMAXVAL 255\nENDHDR\n1234567890", "5 numbers a pixel");
  expect_refusal("P7\nWIDTH 1\nHEIGHT x\n", "HEIGHT");
  expect_refusal("P7\nWIDTH 1\n", "ENDHDR");
  test::write_file(path_, "P7\nWIDTH 1\nHEIGHT 1\nDEPTH 4\nMAXVAL 255\nTUPLTYPE CMYK\nENDHDR\n1234");
  EXPECT_THROW(read_picture(ctx_, path_), Unsupported);
}

TEST_F(Kinds, PnmHeaders) {
  expect_refusal("P5\n3 0\n255\n123456", "no height");
  expect_refusal("P5 99999999999999999999999 99999999999999999999999 255 1", "can hold");
  expect_refusal("P6 2147483647 2147483647 65535 1", "can hold");
  expect_refusal("P5 1 1 0 1", "largest value");
}

}  // namespace
}  // namespace whorl
