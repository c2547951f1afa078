#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/pictures/palette.hpp"
#include "io/pictures/rows.hpp"
#include "io/pictures/tiff_handle.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr int byte_bits = 8;

/// The largest expansion of a byte of a compressed file; 0 for compressions that are not read.
std::uintmax_t expansion_of(std::uint16_t compression) {
  constexpr std::uintmax_t packbits_expansion = 64;  // 2 bytes are a run of 128
  constexpr std::uintmax_t lzw_expansion = 2560;     // 12 bits are a text of at most 4096 - 258 + 1 bytes
  switch (compression) {
    case COMPRESSION_NONE:
      return 1;
    case COMPRESSION_LZW:
      return lzw_expansion;
    case COMPRESSION_ADOBE_DEFLATE:
    case COMPRESSION_DEFLATE:
      return deflate_expansion;
    case COMPRESSION_PACKBITS:
      return packbits_expansion;
    default:
      return 0;
  }
}

class TiffSource : public RowSource {
 public:
  explicit TiffSource(PictureFile file) : file_(std::move(file)) {
    planes_.push_back(std::make_unique<TiffHandle>(file_));
    read_kind();
    read_layout();
    rewind();
  }

  const ImageFormat& format() const override { return format_; }
  std::string_view file_format() const override { return "TIFF"; }
  void rewind() override {
    row_ = 0;
    // Planes are read side by side, each from where its last row ended.
    const std::size_t planes = planes_.size();
    planes_.clear();
    while (planes_.size() < planes) planes_.push_back(std::make_unique<TiffHandle>(file_));
  }
  void read_row(std::byte* to) override;

 private:
  [[noreturn]] void refuse(const std::string& kind) const {
    throw Unsupported(fmt::format("'{}': a TIFF file {}; convert it first", file_.name(), kind));
  }
  void read_kind();
  void read_palette();
  void read_layout();
  std::size_t plane_row_bytes() const {
    return static_cast<std::size_t>(format_.width) * (planes_.size() > 1 ? 1 : samples_) * bytes_of(format_.type);
  }
  const std::uint8_t* plane_row(std::size_t plane);
  void read_tiles(std::size_t plane);
  void read_stored(std::size_t plane);

  PictureFile file_;
  std::vector<std::unique_ptr<TiffHandle>> planes_;  // one, or one for each number of a pixel
  ImageFormat format_;
  std::size_t samples_ = 1;  // numbers of a pixel in the file
  bool white_is_zero_ = false;
  bool has_palette_ = false;
  Palette palette_;
  std::array<Index, 2> tile_{};  // rows, columns; 0 where there are strips
  Index strip_rows_ = 0;         // of strips that are not compressed; 0 where libtiff reads
  Index row_ = 0;
  std::vector<std::vector<std::uint8_t>> bands_;  // of each plane: a row, or the rows of a row of tiles
  std::vector<std::uint8_t> tile_bytes_;
};

void TiffSource::read_kind() {
  const TiffHandle& tiff = *planes_.front();
  const auto bits = tiff.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE);
  const auto kind = tiff.field<std::uint16_t>(TIFFTAG_PHOTOMETRIC);
  const auto sample_format = tiff.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT);
  samples_ = tiff.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL);
  if (bits != byte_bits && bits != 2 * byte_bits) refuse(fmt::format("of {} bits a number, expected 8 or 16", bits));
  if (sample_format != SAMPLEFORMAT_UINT && sample_format != SAMPLEFORMAT_VOID) {
    refuse("of signed numbers or floating point");
  }
  format_.type = bits == byte_bits ? PixelType::uint8 : PixelType::uint16;
  format_.width = tiff.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH);
  format_.height = tiff.field<std::uint32_t>(TIFFTAG_IMAGELENGTH);

  std::uint16_t extra = 0;
  std::uint16_t* extra_kinds = nullptr;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_EXTRASAMPLES, &extra, &extra_kinds);
  const bool alpha = extra == 1 && extra_kinds[0] != EXTRASAMPLE_UNSPECIFIED;
  const std::size_t colors = kind == PHOTOMETRIC_RGB ? 3 : 1;
  if (kind != PHOTOMETRIC_RGB && kind != PHOTOMETRIC_MINISBLACK && kind != PHOTOMETRIC_MINISWHITE &&
      kind != PHOTOMETRIC_PALETTE) {
    refuse(fmt::format("of photometric interpretation {}, expected gray, RGB or a palette", kind));
  }
  if (samples_ != colors + (alpha ? 1 : 0)) {
    refuse(
        fmt::format("of {} numbers a pixel, expected {}, or one more where it is said to be alpha", samples_, colors));
  }
  format_.channels = kind == PHOTOMETRIC_RGB ? (alpha ? Channels::rgba : Channels::rgb)
                                             : (alpha ? Channels::gray_alpha : Channels::gray);
  white_is_zero_ = kind == PHOTOMETRIC_MINISWHITE;
  has_palette_ = kind == PHOTOMETRIC_PALETTE;
  if (has_palette_) read_palette();
}

void TiffSource::read_palette() {
  if (format_.type != PixelType::uint8 || samples_ != 1) refuse("of a palette that is not of 8 bits");
  std::array<std::uint16_t*, 3> maps{};
  TIFFGetField(planes_.front()->get(), TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]);
  if (maps[0] == nullptr) throw IoError(fmt::format("'{}' is not a valid TIFF file: it has no palette", file_.name()));
  constexpr std::size_t count = 256;
  constexpr std::uint8_t opaque = 255;
  std::vector<Palette::Color> colors(count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < maps.size(); ++c) colors[i][c] = static_cast<std::uint8_t>(maps[c][i] >> 8U);
    colors[i][3] = opaque;
  }
  palette_ = {std::move(colors), file_.name()};
  format_.channels = palette_.channels();
}

void TiffSource::read_layout() {
  const TiffHandle& tiff = *planes_.front();
  const auto compression = tiff.field<std::uint16_t>(TIFFTAG_COMPRESSION);
  const std::uintmax_t expansion = expansion_of(compression);
  if (expansion == 0) {
    refuse(fmt::format("of compression {}, expected none, LZW, Deflate or PackBits", compression));
  }
  const auto stored = static_cast<std::uintmax_t>(format_.width) * samples_ * bytes_of(format_.type);
  check_claim(file_, format_.width, format_.height, stored, expansion);
  const bool separate = tiff.field<std::uint16_t>(TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  const bool tiled = TIFFIsTiled(tiff.get()) != 0;
  if (separate) planes_.resize(samples_);
  bands_.resize(planes_.size());
  if (tiled) {
    tile_ = {tiff.field<std::uint32_t>(TIFFTAG_TILELENGTH), tiff.field<std::uint32_t>(TIFFTAG_TILEWIDTH)};
    const std::uint64_t bytes = TIFFTileSize64(tiff.get());
    if (tile_[0] < 1 || tile_[1] < 1 || bytes < 1) tiff.check(false);
    const auto across = static_cast<std::uintmax_t>((format_.width - 1) / tile_[1] + 1);
    if (bytes > file_.size() * expansion / across) {
      throw IoError(fmt::format("'{}' claims tiles of {} x {} pixels, more than its {} bytes can hold", file_.name(),
                                tile_[1], tile_[0], file_.size()));
    }
    tile_bytes_.resize(bytes);
  }
  if (!tiled && compression == COMPRESSION_NONE && tiff.field<std::uint16_t>(TIFFTAG_FILLORDER) == FILLORDER_MSB2LSB) {
    strip_rows_ = std::min<Index>(tiff.field<std::uint32_t>(TIFFTAG_ROWSPERSTRIP), format_.height);
  }
  for (auto& band : bands_) {
    band.resize(plane_row_bytes() * static_cast<std::size_t>(tiled ? std::min(tile_[0], format_.height) : 1));
  }
}

void TiffSource::read_tiles(std::size_t plane) {
  TIFF* tiff = planes_[plane]->get();
  const Index rows = std::min(tile_[0], format_.height - row_);
  const std::size_t pixel = plane_row_bytes() / static_cast<std::size_t>(format_.width);
  const std::size_t tile_row = pixel * static_cast<std::size_t>(tile_[1]);
  for (Index x = 0; x < format_.width; x += tile_[1]) {
    const tmsize_t got = TIFFReadTile(tiff, tile_bytes_.data(), static_cast<std::uint32_t>(x),
                                      static_cast<std::uint32_t>(row_), 0, static_cast<std::uint16_t>(plane));
    planes_[plane]->check(got == static_cast<tmsize_t>(tile_bytes_.size()));
    const std::size_t used = pixel * static_cast<std::size_t>(std::min(tile_[1], format_.width - x));
    for (Index y = 0; y < rows; ++y) {
      std::copy_n(
          tile_bytes_.data() + static_cast<std::size_t>(y) * tile_row, used,
          bands_[plane].data() + static_cast<std::size_t>(y) * plane_row_bytes() + pixel * static_cast<std::size_t>(x));
    }
  }
}

/// Reads rows of uncompressed strips from the file directly: libtiff would read the whole strip, which in files of many
/// programs is the whole picture.
void TiffSource::read_stored(std::size_t plane) {
  TIFF* tiff = planes_[plane]->get();
  const Index strips = (format_.height - 1) / strip_rows_ + 1;
  const auto strip = static_cast<std::uint32_t>(static_cast<Index>(plane) * strips + row_ / strip_rows_);
  const auto before = static_cast<std::uintmax_t>(row_ % strip_rows_) * plane_row_bytes();
  if (TIFFGetStrileByteCount(tiff, strip) < before + plane_row_bytes()) {
    throw IoError(fmt::format("'{}' is damaged: strip {} has {} bytes, row {} begins at byte {} of it", file_.name(),
                              strip, TIFFGetStrileByteCount(tiff, strip), row_, before));
  }
  file_.seek(TIFFGetStrileOffset(tiff, strip) + before);
  file_.read(bands_[plane].data(), plane_row_bytes());
  if (format_.type == PixelType::uint16 && TIFFIsByteSwapped(tiff) != 0) {
    for (std::size_t i = 0; i < plane_row_bytes(); i += 2) std::swap(bands_[plane][i], bands_[plane][i + 1]);
  }
}

const std::uint8_t* TiffSource::plane_row(std::size_t plane) {
  if (tile_[0] > 0) {
    const Index inside = row_ % tile_[0];
    if (inside == 0) read_tiles(plane);
    return bands_[plane].data() + static_cast<std::size_t>(inside) * plane_row_bytes();
  }
  if (strip_rows_ > 0) {
    read_stored(plane);
    return bands_[plane].data();
  }
  const int read = TIFFReadScanline(planes_[plane]->get(), bands_[plane].data(), static_cast<std::uint32_t>(row_),
                                    static_cast<std::uint16_t>(plane));
  planes_[plane]->check(read == 1);
  return bands_[plane].data();
}

void TiffSource::read_row(std::byte* to) {
  const std::size_t number = bytes_of(format_.type);
  const std::size_t pixel = samples_ * number;
  const auto width = static_cast<std::size_t>(format_.width);
  for (std::size_t plane = 0; plane < planes_.size(); ++plane) {
    const std::uint8_t* from = plane_row(plane);
    if (has_palette_) {
      palette_.expand({from, width}, to, row_);
    } else if (planes_.size() == 1) {
      std::copy_n(from, width * pixel, reinterpret_cast<std::uint8_t*>(to));
    } else {
      for (std::size_t i = 0; i < width * number; ++i) {
        to[i / number * pixel + plane * number + i % number] = std::byte{from[i]};
      }
    }
  }
  if (white_is_zero_) {
    for (std::size_t i = 0; i < width * pixel; ++i) {
      if (i % pixel < number) to[i] = ~to[i];
    }
  }
  ++row_;
}

}  // namespace

Source open_tiff(PictureFile file) { return std::make_unique<TiffSource>(std::move(file)); }

}  // namespace whorl::io
