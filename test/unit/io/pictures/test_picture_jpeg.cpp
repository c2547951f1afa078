// JPEG files that libjpeg wrote.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
// clang-format off: libjpeg's header needs FILE from before
#include <jpeglib.h>
// clang-format on

#include <vector>

#include "support/file_content.hpp"
#include "support/images.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/picture.hpp"

namespace whorl {
namespace {

using test::error_of;

constexpr Index width = 45;
constexpr Index height = 23;

/// A slope in each color, which JPEG keeps to within its steps.
double slope(Index y, Index x, Index channel) {
  return static_cast<double>(channel == 0 ? 4 * x + 20 : channel == 1 ? 7 * y + 40 : 2 * x + 3 * y + 30);
}

std::string jpeg_of(J_COLOR_SPACE space, bool progressive, bool arithmetic = false) {
  jpeg_compress_struct jpeg{};
  jpeg_error_mgr errors{};
  jpeg.err = jpeg_std_error(&errors);
  jpeg_create_compress(&jpeg);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  jpeg_mem_dest(&jpeg, &bytes, &count);
  const int channels = space == JCS_GRAYSCALE ? 1 : space == JCS_CMYK ? 4 : 3;
  jpeg.image_width = width;
  jpeg.image_height = height;
  jpeg.input_components = channels;
  jpeg.in_color_space = space;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, 100, TRUE);
  if (progressive) jpeg_simple_progression(&jpeg);
  if (arithmetic) jpeg.arith_code = TRUE;
  jpeg_start_compress(&jpeg, TRUE);
  for (Index y = 0; y < height; ++y) {
    std::vector<JSAMPLE> row;
    for (Index i = 0; i < width * channels; ++i) {
      row.push_back(static_cast<JSAMPLE>(slope(y, i / channels, i % channels)));
    }
    JSAMPROW rows = row.data();
    jpeg_write_scanlines(&jpeg, &rows, 1);
  }
  jpeg_finish_compress(&jpeg);
  jpeg_destroy_compress(&jpeg);
  std::string result(reinterpret_cast<char*>(bytes), count);
  std::free(bytes);
  return result;
}

class JpegFiles : public ::testing::Test {
 protected:
  void write(const std::string& bytes) { test::write_file(path_, bytes); }
  Image read(const std::string& bytes) {
    write(bytes);
    return read_picture(ctx_, path_);
  }
  Context ctx_;
  test::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "a.jpg";
};

TEST_F(JpegFiles, BaselineAndProgressive) {
  for (const bool progressive : {false, true}) {
    for (const auto space : {JCS_GRAYSCALE, JCS_RGB}) {
      const Image image = read(jpeg_of(space, progressive));
      const ImageFormat expected{
          .channels = space == JCS_RGB ? Channels::rgb : Channels::gray, .height = height, .width = width};
      ASSERT_EQ(image.format(), expected);
      // At quality 100 the steps of the transform are 1: rounding them and two of color conversion come to less than 3
      // in gray; colors are halved in number, and a slope of 4 a pixel turns at the picture's edges.
      const Image exact = test::make_image(expected, [](Index, Index y, Index x, Index c) { return slope(y, x, c); });
      EXPECT_LE(test::largest_difference(image, exact), space == JCS_RGB ? 8 : 3);
      PictureReader reader(path_);
      EXPECT_EQ(reader.file_format(), "JPEG");
      Image again(ctx_, expected);
      reader.read_rows(ctx_, again, 0, 9);
      reader.rewind();
      reader.read_rows(ctx_, again, 0, height);
      EXPECT_EQ(test::largest_difference(image, again), 0);
    }
  }
}

TEST_F(JpegFiles, OtherKindsAreNamed) {
  EXPECT_NE(error_of<Unsupported>([&] { read(jpeg_of(JCS_CMYK, false)); }).find("CMYK"), std::string::npos);
  EXPECT_NE(error_of<Unsupported>([&] { read(jpeg_of(JCS_RGB, false, true)); }).find("arithmetic"), std::string::npos);
}

TEST_F(JpegFiles, DamagedOnes) {
  for (const bool progressive : {false, true}) {
    const std::string whole = jpeg_of(JCS_RGB, progressive);
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 5) {
      write(whole.substr(0, bytes));
      EXPECT_THROW(read_picture(ctx_, path_), IoError) << bytes << " of " << whole.size();
    }
    // The frame's header: a marker, its length, 8 bits, height and width.
    std::string large = whole;
    const std::size_t frame = large.find(progressive ? "\xff\xc2" : "\xff\xc0");
    large.replace(frame + 5, 4, "\xff\x00\xff\x00", 4);
    EXPECT_NE(error_of<IoError>([&] { read(large); }).find("65280 x 65280"), std::string::npos);
    large.replace(frame + 5, 4, std::string(4, '\0'));
    EXPECT_NE(error_of<IoError>([&] { read(large); }).find("not a valid JPEG"), std::string::npos);
  }
}

}  // namespace
}  // namespace whorl
