#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::uint32_t written_header_bytes = 14;
constexpr std::uint32_t info_bytes = 40;
constexpr std::uint32_t version4_bytes = 108;
constexpr std::uint32_t colors = 256;
/// Bytes that are written at once: rows go to the file's end first.
constexpr std::size_t written_block_bytes = std::size_t{1} << 18U;

/// Numbers, least significant byte first.
void put(std::vector<std::uint8_t>& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<std::uint8_t>(value >> (8U * static_cast<unsigned>(i))));
}

class BmpSink : public RowSink {
 public:
  BmpSink(const std::filesystem::path& path, const ImageFormat& format)
      : RowSink(path),
        channels_(static_cast<std::size_t>(count_of(format.channels))),
        width_(static_cast<std::size_t>(format.width)),
        rows_left_(static_cast<std::size_t>(format.height)),
        stride_((width_ * channels_ + 3) / 4 * 4) {
    const std::uintmax_t offset =
        written_header_bytes + (channels_ == 4 ? version4_bytes : info_bytes) + (channels_ == 1 ? 4 * colors : 0);
    constexpr std::uintmax_t most = std::numeric_limits<std::int32_t>::max();
    if (width_ > most || rows_left_ > most ||
        stride_ > (std::numeric_limits<std::uint32_t>::max() - offset) / rows_left_) {
      throw ValueError(fmt::format("'{}': {} is more than a BMP file of 4 GiB holds; write .png or .tif", path.string(),
                                   to_string(format)));
    }
    pixels_at_ = static_cast<std::uint32_t>(offset);
    write_header();
    block_.resize(std::clamp<std::size_t>(written_block_bytes / stride_, 1, rows_left_) * stride_);
    empty_ = block_.size();
  }

  void write_row(const std::byte* row) override {
    empty_ -= stride_;
    std::uint8_t* to = block_.data() + empty_;
    const std::size_t swapped = std::min<std::size_t>(channels_, 3);  // blue is first
    for (std::size_t x = 0; x < width_; ++x) {
      for (std::size_t c = 0; c < swapped; ++c) {
        to[x * channels_ + c] = std::to_integer<std::uint8_t>(row[x * channels_ + swapped - 1 - c]);
      }
      if (channels_ == 4) to[x * 4 + 3] = std::to_integer<std::uint8_t>(row[x * 4 + 3]);
    }
    --rows_left_;
    if (empty_ != 0 && rows_left_ != 0) return;
    file().write_at(pixels_at_ + rows_left_ * std::uintmax_t{stride_}, to, block_.size() - empty_);
    empty_ = block_.size();
  }

 private:
  void write_header();

  std::size_t channels_;
  std::size_t width_;
  std::size_t rows_left_;
  std::size_t stride_;
  std::uint32_t pixels_at_ = 0;
  std::vector<std::uint8_t> block_;  // rows, filled from the end
  std::size_t empty_ = 0;            // bytes at its start
};

void BmpSink::write_header() {
  const bool alpha = channels_ == 4;
  const auto pixel_bytes = static_cast<std::uint32_t>(stride_ * rows_left_);
  constexpr std::uint32_t bit_fields = 3;
  constexpr std::uint32_t pixels_per_meter = 2835;  // 72 dots per inch
  std::vector<std::uint8_t> bytes{'B', 'M'};
  put(bytes, pixels_at_ + pixel_bytes, 4);
  put(bytes, 0, 4);
  put(bytes, pixels_at_, 4);
  put(bytes, alpha ? version4_bytes : info_bytes, 4);
  put(bytes, static_cast<std::uint32_t>(width_), 4);
  put(bytes, static_cast<std::uint32_t>(rows_left_), 4);
  put(bytes, 1, 2);  // planes
  put(bytes, static_cast<std::uint32_t>(8 * channels_), 2);
  put(bytes, alpha ? bit_fields : 0, 4);
  put(bytes, pixel_bytes, 4);
  put(bytes, pixels_per_meter, 4);
  put(bytes, pixels_per_meter, 4);
  put(bytes, channels_ == 1 ? colors : 0, 4);
  put(bytes, 0, 4);
  if (alpha) {
    for (const std::uint32_t mask : {0x00FF0000U, 0x0000FF00U, 0x000000FFU, 0xFF000000U}) put(bytes, mask, 4);
    put(bytes, 0x73524742U, 4);  // sRGB; what follows is of other color spaces
    bytes.resize(pixels_at_);
  } else if (channels_ == 1) {
    for (std::uint32_t gray = 0; gray < colors; ++gray) put(bytes, gray * 0x010101U, 4);
  }
  file().write(bytes.data(), bytes.size());
}

}  // namespace

Sink create_bmp(const std::filesystem::path& path, const ImageFormat& format) {
  return std::make_unique<BmpSink>(path, format);
}

}  // namespace whorl::io
