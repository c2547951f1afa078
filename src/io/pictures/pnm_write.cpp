#include <fmt/format.h>

#include <vector>

#include "io/pictures/rows.hpp"

namespace whorl::io {

namespace {

/// Binary PGM and PPM, and PAM for pictures with alpha and names that ask for it.
class PnmSink : public RowSink {
 public:
  PnmSink(const std::filesystem::path& path, const ImageFormat& format, bool pam)
      : RowSink(path), numbers_(static_cast<std::size_t>(format.row())), wide_(format.type == PixelType::uint16) {
    const bool color = format.channels == Channels::rgb || format.channels == Channels::rgba;
    const int largest = static_cast<int>(full_scale(format.type));
    const std::string header =
        pam ? fmt::format("P7\nWIDTH {}\nHEIGHT {}\nDEPTH {}\nMAXVAL {}\nTUPLTYPE {}{}\nENDHDR\n", format.width,
                          format.height, count_of(format.channels), largest, color ? "RGB" : "GRAYSCALE",
                          has_alpha(format.channels) ? "_ALPHA" : "")
            : fmt::format("{}\n{} {}\n{}\n", color ? "P6" : "P5", format.width, format.height, largest);
    append(header.data(), header.size());
  }

  void write_row(const std::byte* row) override {
    if (!wide_) {
      append(row, numbers_);
      return;
    }
    swapped_.resize(2 * numbers_);
    const auto* values = reinterpret_cast<const std::uint16_t*>(row);
    for (std::size_t i = 0; i < numbers_; ++i) {  // the more significant byte is first
      swapped_[2 * i] = static_cast<std::uint8_t>(values[i] >> 8U);
      swapped_[2 * i + 1] = static_cast<std::uint8_t>(values[i]);
    }
    append(swapped_.data(), swapped_.size());
  }

 private:
  void append(const void* bytes, std::size_t count) {
    constexpr std::size_t block_bytes = std::size_t{1} << 18U;
    const auto* first = static_cast<const std::uint8_t*>(bytes);
    block_.insert(block_.end(), first, first + count);
    if (block_.size() >= block_bytes) flush();
  }
  void flush() {
    file().write(block_.data(), block_.size());
    block_.clear();
  }
  void finish() override { flush(); }

  std::size_t numbers_;  // of a row
  bool wide_;
  std::vector<std::uint8_t> swapped_;
  std::vector<std::uint8_t> block_;  // what is not written yet
};

}  // namespace

Sink create_pnm(const std::filesystem::path& path, const ImageFormat& format) {
  const std::string extension = path.extension().string();
  return std::make_unique<PnmSink>(path, format, extension == ".pam" || extension == ".PAM");
}

}  // namespace whorl::io
