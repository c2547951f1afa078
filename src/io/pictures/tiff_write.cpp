#include <fmt/format.h>

#include <algorithm>

#include "io/pictures/rows.hpp"
#include "io/pictures/tiff_handle.hpp"

namespace whorl::io {

namespace {

/// Leaves room for the directory below 4 GiB, where BigTIFF begins.
constexpr std::size_t most_bytes = (std::size_t{1} << 32U) - (std::size_t{1} << 28U);
/// Bytes of a strip, what is held of the picture at once.
constexpr Index strip_bytes = Index{1} << 18;

class TiffSink : public RowSink {
 public:
  TiffSink(const std::filesystem::path& path, const ImageFormat& format)
      : RowSink(path), tiff_(file(), format.bytes() > most_bytes) {
    TIFF* tiff = tiff_.get();
    const bool color = format.channels == Channels::rgb || format.channels == Channels::rgba;
    const auto row_bytes = format.row() * static_cast<Index>(bytes_of(format.type));
    const auto rows = static_cast<std::uint32_t>(std::clamp<Index>(strip_bytes / row_bytes, 1, format.height));
    constexpr int byte_bits = 8;
    const auto set = [&](std::uint32_t tag, auto value) { tiff_.check(TIFFSetField(tiff, tag, value) == 1); };
    set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(format.width));
    set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(format.height));
    set(TIFFTAG_BITSPERSAMPLE, byte_bits * static_cast<int>(bytes_of(format.type)));
    set(TIFFTAG_SAMPLESPERPIXEL, count_of(format.channels));
    set(TIFFTAG_PHOTOMETRIC, color ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    set(TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    set(TIFFTAG_ROWSPERSTRIP, rows);
    if (has_alpha(format.channels)) {
      const std::uint16_t kind = EXTRASAMPLE_UNASSALPHA;
      tiff_.check(TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 1, &kind) == 1);
    }
    row_bytes_ = static_cast<std::size_t>(row_bytes);
  }

  void write_row(const std::byte* row) override {
    row_.assign(row, row + row_bytes_);  // libtiff may change what it is given
    tiff_.check(TIFFWriteScanline(tiff_.get(), row_.data(), next_++, 0) == 1);
  }

 private:
  void finish() override { tiff_.close(); }

  TiffHandle tiff_;
  std::size_t row_bytes_ = 0;
  std::vector<std::byte> row_;
  std::uint32_t next_ = 0;
};

}  // namespace

Sink create_tiff(const std::filesystem::path& path, const ImageFormat& format) {
  return std::make_unique<TiffSink>(path, format);
}

}  // namespace whorl::io
