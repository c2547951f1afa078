#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "io/pictures/bmp_header.hpp"
#include "io/pictures/bmp_runs.hpp"
#include "io/pictures/rows.hpp"
#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

/// Bytes of the file that are read at once: rows come from its end.
constexpr std::size_t block_bytes = std::size_t{1} << 18U;

/// One color of a pixel of 16 or 32 bits: n bits, 0 to 2^n - 1, become 0 to 255.
class Field {
 public:
  Field() = default;
  explicit Field(std::uint32_t mask)
      : mask_(mask), shift_(mask == 0 ? 0 : static_cast<unsigned>(std::countr_zero(mask))), most_(mask >> shift_) {
    constexpr std::uint64_t table_size = 256;
    for (std::uint64_t value = 0; value <= most_ && value < table_size; ++value) table_[value] = scaled(value);
  }

  std::byte of(std::uint32_t pixel) const {
    const std::uint32_t value = (pixel & mask_) >> shift_;
    return value < table_.size() ? table_[value] : scaled(value);
  }

 private:
  std::byte scaled(std::uint64_t value) const {
    constexpr std::uint64_t white = 255;
    return most_ == 0 ? std::byte{0} : static_cast<std::byte>((value * white + most_ / 2) / most_);
  }

  std::uint32_t mask_ = 0;
  unsigned shift_ = 0;
  std::uint64_t most_ = 0;
  std::array<std::byte, 256> table_{};
};

class BmpSource : public RowSource {
 public:
  explicit BmpSource(PictureFile file) : file_(std::move(file)), header_(read_bmp_header(file_)) {
    format_ = {.type = PixelType::uint8, .height = header_.height, .width = header_.width};
    if (header_.bits <= 8) {
      format_.channels = header_.palette.channels();
    } else {
      format_.channels = header_.masks[3] != 0 ? Channels::rgba : Channels::rgb;
    }
    if (header_.run_lengths()) {
      // Two bytes are a run of at most 255 pixels; a picture with more pixels than that is refused.
      constexpr std::uintmax_t run_expansion = 128;
      check_claim(file_, header_.width, header_.height, static_cast<std::uintmax_t>(header_.width), run_expansion);
      runs_.emplace(file_, header_);
    } else {
      check_claim(file_, header_.width, header_.height, header_.stride());
      check_end();
    }
    indices_.resize(header_.bits <= 8 ? static_cast<std::size_t>(header_.width) : 0);
    for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i] = Field(header_.masks[i]);
  }

  const ImageFormat& format() const override { return format_; }
  std::string_view file_format() const override { return "BMP"; }
  void rewind() override { row_ = 0; }

  void read_row(std::byte* to) override {
    if (runs_) {
      runs_->read_row(file_, row_, indices_);
      header_.palette.expand(indices_, to, row_);
    } else {
      convert(stored_row(), to);
    }
    ++row_;
  }

 private:
  void check_end() const;
  const std::uint8_t* stored_row();
  void convert(const std::uint8_t* from, std::byte* to);

  PictureFile file_;
  BmpHeader header_;
  ImageFormat format_;
  std::optional<BmpRuns> runs_;
  Index row_ = 0;
  std::vector<std::uint8_t> block_;  // rows as they are in the file
  Index block_first_ = 0;            // from the top
  Index block_rows_ = 0;
  std::vector<std::uint8_t> indices_;
  std::array<Field, 4> fields_{};  // red, green, blue, alpha
};

/// The last row need not be padded.
void BmpSource::check_end() const {
  const std::size_t stride = header_.stride();
  const auto used = static_cast<std::size_t>((header_.width * header_.bits + 7) / 8);
  const std::uintmax_t end = header_.pixels_at + stride * static_cast<std::uintmax_t>(header_.height - 1) + used;
  if (end <= file_.size()) return;
  throw IoError(fmt::format("'{}' is truncated: its {} x {} pixels end at byte {}, the file at {}", file_.name(),
                            header_.width, header_.height, end, file_.size()));
}

const std::uint8_t* BmpSource::stored_row() {
  const std::size_t stride = header_.stride();
  if (row_ < block_first_ || row_ >= block_first_ + block_rows_) {
    block_first_ = row_;
    block_rows_ = std::clamp<Index>(static_cast<Index>(block_bytes / stride), 1, header_.height - row_);
    const Index first = header_.top_down ? row_ : header_.height - row_ - block_rows_;
    block_.resize(static_cast<std::size_t>(block_rows_) * stride);
    file_.seek(header_.pixels_at + static_cast<std::uintmax_t>(first) * stride);
    file_.read_up_to(block_.data(), block_.size());
  }
  const Index at = row_ - block_first_;
  return block_.data() + static_cast<std::size_t>(header_.top_down ? at : block_rows_ - 1 - at) * stride;
}

void BmpSource::convert(const std::uint8_t* from, std::byte* to) {
  constexpr int byte_bits = 8;
  if (header_.bits <= byte_bits) {
    unpack_bits(from, header_.bits, indices_);
    header_.palette.expand(indices_, to, row_);
    return;
  }
  const auto width = static_cast<std::size_t>(header_.width);
  const auto bytes = static_cast<std::size_t>(header_.bits / byte_bits);
  if (bytes == 3) {
    for (std::size_t x = 0; x < width; ++x) {
      for (std::size_t c = 0; c < 3; ++c) to[3 * x + c] = std::byte{from[3 * x + 2 - c]};  // blue is first
    }
    return;
  }
  const auto channels = static_cast<std::size_t>(count_of(format_.channels));
  for (std::size_t x = 0; x < width; ++x) {
    std::uint32_t pixel = 0;
    for (std::size_t i = bytes; i-- > 0;) pixel = pixel << 8U | from[bytes * x + i];
    for (std::size_t c = 0; c < channels; ++c) to[channels * x + c] = fields_[c].of(pixel);
  }
}

}  // namespace

Source open_bmp(PictureFile file) { return std::make_unique<BmpSource>(std::move(file)); }

}  // namespace whorl::io
