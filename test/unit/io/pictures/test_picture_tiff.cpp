// TIFF files that libtiff wrote, of each kind that is read; what is refused.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <cstring>
#include <vector>

#include "support/file_content.hpp"
#include "support/images.hpp"
#include "support/temporary_folder.hpp"
#include "whorl/io/picture.hpp"

namespace whorl {
namespace {

using test::error_of;
using test::value_at;

/// A TIFF file of 37 x 21 pixels whose numbers are a function of their place.
struct Kind {
  const char* name;
  int bits = 8;
  int samples = 1;
  int photometric = PHOTOMETRIC_MINISBLACK;
  int compression = COMPRESSION_NONE;
  bool planes = false;
  int tile = 0;  ///< columns and half of the rows; 0: strips of 4 rows
  int extra = EXTRASAMPLE_UNASSALPHA;
  const char* mode = "w";
};
constexpr int tiff_width = 37;
constexpr int tiff_height = 21;

int number(const Kind& kind, int y, int x, int sample) {
  const int value = (y / 3 * 41 + x / 2 * 7 + sample * 57) % 251;
  return kind.bits == 8 ? value : value * 256 + x + 40 * sample;
}

void write_tiff(const std::filesystem::path& path, const Kind& kind) {
  TIFF* tiff = TIFFOpen(path.c_str(), kind.mode);
  ASSERT_NE(tiff, nullptr);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, tiff_width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, tiff_height);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, kind.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, kind.samples);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, kind.photometric);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, kind.compression);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, kind.planes ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  if (kind.samples == 2 || kind.samples == 4) {
    const auto extra = static_cast<std::uint16_t>(kind.extra);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &extra);
  }
  if (kind.photometric == PHOTOMETRIC_PALETTE) {
    const std::size_t colors = std::size_t{1} << static_cast<unsigned>(kind.bits);  // libtiff reads as many
    std::vector<std::uint16_t> map(colors);
    for (std::size_t i = 0; i < map.size(); ++i) map[i] = static_cast<std::uint16_t>(257 * (255 - i % 256));
    const std::vector<std::uint16_t> blue(colors, 0x1234);
    TIFFSetField(tiff, TIFFTAG_COLORMAP, map.data(), map.data(), blue.data());
  }
  const int planes = kind.planes ? kind.samples : 1;
  const int inside = kind.planes ? 1 : kind.samples;
  const int tile_rows = kind.tile == 0 ? 1 : kind.tile / 2;
  const int tile_columns = kind.tile == 0 ? tiff_width : kind.tile;
  if (kind.tile == 0) {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, 4);
  } else {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, tile_columns);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, tile_rows);
  }
  for (int plane = 0; plane < planes; ++plane) {
    for (int top = 0; top < tiff_height; top += tile_rows) {
      for (int left = 0; left < tiff_width; left += tile_columns) {
        std::vector<std::uint8_t> bytes;
        for (int i = 0; i < tile_rows * tile_columns * inside; ++i) {
          const int y = top + i / inside / tile_columns;
          const int x = left + i / inside % tile_columns;
          const int value = number(kind, y, x, kind.planes ? plane : i % inside);
          bytes.push_back(static_cast<std::uint8_t>(value));
          if (kind.bits == 16) bytes.push_back(static_cast<std::uint8_t>(value >> 8));
        }
        const auto row = static_cast<std::uint32_t>(top);
        const auto sample = static_cast<std::uint16_t>(plane);
        if (kind.tile == 0) {
          EXPECT_EQ(TIFFWriteScanline(tiff, bytes.data(), row, sample), 1);
        } else {
          EXPECT_GT(TIFFWriteTile(tiff, bytes.data(), static_cast<std::uint32_t>(left), row, 0, sample), 0);
        }
      }
    }
  }
  TIFFClose(tiff);
}

class TiffFiles : public ::testing::TestWithParam<Kind> {};

TEST_P(TiffFiles, AreReadTwice) {
  const Kind& kind = GetParam();
  const Context ctx;
  const test::TemporaryFolder folder;
  write_tiff(folder / "a.tif", kind);
  PictureReader reader(folder / "a.tif");
  EXPECT_EQ(reader.file_format(), "TIFF");
  const ImageFormat& format = reader.format();
  ASSERT_EQ(format.width, tiff_width);
  ASSERT_EQ(format.height, tiff_height);
  const bool palette = kind.photometric == PHOTOMETRIC_PALETTE;
  ASSERT_EQ(count_of(format.channels), palette ? 3 : kind.samples);
  for (int pass = 0; pass < 2; ++pass, reader.rewind()) {
    Image image(ctx, format);
    reader.read_rows(ctx, image, 0, 5 * pass);
    reader.read_rows(ctx, image, 5 * pass, tiff_height - 5 * pass);
    const int white = kind.bits == 8 ? 255 : 65535;
    for (int y = 0; y < tiff_height; ++y) {
      for (int x = 0; x < tiff_width; ++x) {
        for (int c = 0; c < count_of(format.channels); ++c) {
          int expected = number(kind, y, x, palette ? 0 : c);
          if (palette) expected = c == 2 ? 0x12 : white - expected;
          if (kind.photometric == PHOTOMETRIC_MINISWHITE && c == 0) expected = white - expected;
          ASSERT_EQ(value_at(image, 0, y, x, c), expected) << "row " << y << ", column " << x << ", channel " << c;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, TiffFiles,
    ::testing::Values(
        Kind{.name = "gray"}, Kind{.name = "big_endian", .bits = 16, .mode = "wb"},
        Kind{.name = "BigTIFF", .bits = 16, .samples = 3, .photometric = PHOTOMETRIC_RGB, .mode = "w8"},
        Kind{.name = "white_is_zero", .samples = 2, .photometric = PHOTOMETRIC_MINISWHITE},
        Kind{.name = "palette", .photometric = PHOTOMETRIC_PALETTE, .compression = COMPRESSION_PACKBITS},
        Kind{.name = "lzw", .bits = 16, .samples = 2, .compression = COMPRESSION_LZW},
        Kind{.name = "deflate", .samples = 4, .photometric = PHOTOMETRIC_RGB, .compression = COMPRESSION_ADOBE_DEFLATE},
        Kind{.name = "planes",
             .samples = 3,
             .photometric = PHOTOMETRIC_RGB,
             .compression = COMPRESSION_LZW,
             .planes = true},
        Kind{.name = "wide_planes", .bits = 16, .samples = 4, .photometric = PHOTOMETRIC_RGB, .planes = true},
        Kind{.name = "tiles", .bits = 16, .samples = 3, .photometric = PHOTOMETRIC_RGB, .tile = 32},
        Kind{.name = "planes_of_tiles",
             .samples = 4,
             .photometric = PHOTOMETRIC_RGB,
             .compression = COMPRESSION_ADOBE_DEFLATE,
             .planes = true,
             .tile = 32}),
    [](const auto& kind) { return kind.param.name; });

TEST(Tiff, OtherKindsAreNamed) {
  const Context ctx;
  const test::TemporaryFolder folder;
  const auto refusal = [&](const Kind& kind) {
    write_tiff(folder / "a.tif", kind);
    return error_of<Unsupported>([&] { read_picture(ctx, folder / "a.tif"); });
  };
  EXPECT_NE(refusal({.name = "", .bits = 16, .photometric = PHOTOMETRIC_PALETTE}).find("palette"), std::string::npos);
  EXPECT_NE(refusal({.name = "", .samples = 3, .photometric = PHOTOMETRIC_CIELAB}).find("interpretation 8"),
            std::string::npos);
  EXPECT_NE(refusal({.name = "", .samples = 2, .extra = EXTRASAMPLE_UNSPECIFIED}).find("2 numbers a pixel"),
            std::string::npos);
  EXPECT_NE(refusal({.name = "", .compression = COMPRESSION_JPEG, .tile = 32}).find("compression 7"),
            std::string::npos);
}

TEST(Tiff, CutAnywhereItIsRefused) {
  const Context ctx;
  const test::TemporaryFolder folder;
  for (const Kind& kind : {Kind{.name = "", .compression = COMPRESSION_LZW},
                           Kind{.name = "", .samples = 3, .photometric = PHOTOMETRIC_RGB, .tile = 32}}) {
    write_tiff(folder / "a.tif", kind);
    const std::string whole = test::read_file(folder / "a.tif");
    for (std::size_t bytes = 0; bytes < whole.size(); bytes += 7) {
      test::write_file(folder / "cut", whole.substr(0, bytes));
      EXPECT_THROW(read_picture(ctx, folder / "cut"), IoError) << bytes << " of " << whole.size();
    }
  }
}

}  // namespace
}  // namespace whorl
