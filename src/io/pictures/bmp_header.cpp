#include "io/pictures/bmp_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

constexpr std::size_t file_header_bytes = 14;
constexpr std::size_t core_bytes = 12;      // OS/2 1, of 16-bit sizes
constexpr std::size_t masks_at = 40;        // in the headers that hold them
constexpr std::size_t with_masks = 52;      // headers from this size on hold three masks
constexpr std::size_t with_alpha = 56;      // and from this size on four
constexpr std::size_t os2_bytes = 64;       // OS/2 2, whose codings 3 and 4 are others
constexpr std::size_t largest_bytes = 124;  // version 5

/// Little-endian numbers of a header; those that a short header lacks are 0.
class Fields {
 public:
  explicit Fields(PictureFile& file) { file.read(bytes_.data(), file_header_bytes + 4); }
  /// Reads the rest of a header of `count` bytes.
  void complete(PictureFile& file, std::size_t count) { file.read(bytes_.data() + file_header_bytes + 4, count - 4); }

  std::uint32_t file_word(std::size_t at) const { return number(at, 4); }
  std::uint32_t word(std::size_t at) const { return number(file_header_bytes + at, 4); }
  std::uint32_t half(std::size_t at) const { return number(file_header_bytes + at, 2); }

 private:
  std::uint32_t number(std::size_t at, std::size_t count) const {
    std::uint32_t value = 0;
    for (std::size_t i = count; i-- > 0;) value = value << 8U | bytes_[at + i];
    return value;
  }

  std::array<std::uint8_t, file_header_bytes + largest_bytes> bytes_{};
};

std::uint32_t read_word(PictureFile& file) {
  std::array<std::uint8_t, 4> bytes{};
  file.read(bytes.data(), bytes.size());
  return bytes[0] | std::uint32_t{bytes[1]} << 8U | std::uint32_t{bytes[2]} << 16U | std::uint32_t{bytes[3]} << 24U;
}

[[noreturn]] void refuse(const PictureFile& file, const std::string& reason) {
  throw IoError(fmt::format("'{}' is not a valid BMP file: {}", file.name(), reason));
}

/// Throws for a number of bits per pixel that BMP does not have with this compression.
BmpCoding check_coding(const PictureFile& file, std::size_t header_bytes, std::uint32_t coding, int bits) {
  if (bits != 1 && bits != 4 && bits != 8 && bits != 16 && bits != 24 && bits != 32) {
    refuse(file, fmt::format("its pixels have {} bits, expected 1, 4, 8, 16, 24 or 32", bits));
  }
  const bool known = coding <= static_cast<std::uint32_t>(BmpCoding::bit_fields) ||
                     coding == static_cast<std::uint32_t>(BmpCoding::alpha_bit_fields);
  if (!known || (header_bytes == os2_bytes && coding > static_cast<std::uint32_t>(BmpCoding::rle4))) {
    throw Unsupported(
        fmt::format("'{}': a BMP file of coding {} (embedded JPEG or PNG, CMYK, or OS/2's own); convert it first",
                    file.name(), coding));
  }
  const auto result = static_cast<BmpCoding>(coding);
  const bool fits = result == BmpCoding::plain || (result == BmpCoding::rle8 && bits == 8) ||
                    (result == BmpCoding::rle4 && bits == 4) ||
                    (result >= BmpCoding::bit_fields && (bits == 16 || bits == 32));
  if (!fits) refuse(file, fmt::format("pixels of {} bits are not stored by coding {}", bits, coding));
  return result;
}

void check_masks(const PictureFile& file, const BmpHeader& header) {
  std::uint64_t together = 0;
  for (const std::uint32_t mask : header.masks) {
    const std::uint64_t shifted = mask == 0 ? 0 : mask >> static_cast<unsigned>(std::countr_zero(mask));
    const bool contiguous = (shifted & (shifted + 1)) == 0;
    if (!contiguous || (together & mask) != 0 || (header.bits == 16 && mask > 0xFFFFU)) {
      refuse(file, fmt::format("the bits of its colors, {:#x}, can not be told apart", fmt::join(header.masks, ", ")));
    }
    together |= mask;
  }
  if (together == header.masks[3]) refuse(file, "its pixels have no bits of color");
}

/// Colors of three bytes (OS/2 1) or four, blue first. Without a number in the header there are as many as the bits can
/// count, or fewer if the pixels begin before.
Palette read_palette(PictureFile& file, const BmpHeader& header, std::size_t color_bytes, std::uint32_t said) {
  const std::uintmax_t most = std::uintmax_t{1} << static_cast<unsigned>(header.bits);
  const std::uintmax_t room = (header.pixels_at - file.position()) / color_bytes;
  const std::uintmax_t count = std::min({said == 0 ? most : std::uintmax_t{said}, most, room});
  if (count == 0) refuse(file, "it has no palette");
  std::vector<Palette::Color> colors(static_cast<std::size_t>(count));
  constexpr std::uint8_t opaque = 255;
  for (Palette::Color& color : colors) {
    std::array<std::uint8_t, 4> bytes{};
    file.read(bytes.data(), color_bytes);
    color = {bytes[2], bytes[1], bytes[0], opaque};
  }
  return {std::move(colors), file.name()};
}

}  // namespace

BmpHeader read_bmp_header(PictureFile& file) {
  Fields fields(file);
  const std::size_t bytes = fields.word(0);
  if (bytes != core_bytes && (bytes < 16 || bytes > largest_bytes)) {
    refuse(file, fmt::format("its header has {} bytes, expected 12 or 16 to 124", bytes));
  }
  fields.complete(file, bytes);
  const bool core = bytes == core_bytes;

  BmpHeader header;
  header.pixels_at = fields.file_word(10);
  header.width = core ? Index{fields.half(4)} : static_cast<std::int32_t>(fields.word(4));
  header.height = core ? Index{fields.half(6)} : static_cast<std::int32_t>(fields.word(8));
  header.top_down = header.height < 0;
  header.height = std::abs(header.height);
  header.bits = static_cast<int>(fields.half(core ? 10 : 14));
  header.coding = check_coding(file, bytes, core ? 0 : fields.word(16), header.bits);
  if (header.top_down && header.run_lengths()) refuse(file, "run lengths in a picture stored from the top");

  if (header.coding >= BmpCoding::bit_fields) {
    const bool alpha = bytes >= with_alpha || header.coding == BmpCoding::alpha_bit_fields;
    for (std::size_t i = 0; i < (alpha ? 4U : 3U); ++i) {
      header.masks[i] =
          bytes >= with_masks && (i < 3 || bytes >= with_alpha) ? fields.word(masks_at + 4 * i) : read_word(file);
    }
    check_masks(file, header);
  } else if (header.bits == 16) {
    header.masks = {0x7C00, 0x03E0, 0x001F, 0};
  } else if (header.bits == 32) {
    header.masks = {0xFF0000, 0x00FF00, 0x0000FF, 0};
  }
  if (header.pixels_at < file.position() || header.pixels_at > file.size()) {
    refuse(file,
           fmt::format("its pixels are said to begin at byte {}, behind its header of {} and before its end at {}",
                       header.pixels_at, file.position(), file.size()));
  }
  if (header.bits <= 8) header.palette = read_palette(file, header, core ? 3 : 4, core ? 0 : fields.word(32));
  return header;
}

}  // namespace whorl::io
