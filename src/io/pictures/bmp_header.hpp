// Headers of BMP files: those of Windows (40 to 124 bytes) and of OS/2 (12 to 64).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "io/pictures/file.hpp"
#include "io/pictures/palette.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/core/view.hpp"

namespace whorl::io {

/// How the pixels are stored, as the header numbers it.
enum class BmpCoding : std::uint32_t { plain = 0, rle8 = 1, rle4 = 2, bit_fields = 3, alpha_bit_fields = 6 };

struct BmpHeader {
  Index width = 0;
  Index height = 0;
  bool top_down = false;
  int bits = 0;  ///< of a pixel
  BmpCoding coding = BmpCoding::plain;
  std::uintmax_t pixels_at = 0;          ///< in the file
  std::array<std::uint32_t, 4> masks{};  ///< of red, green, blue and alpha in a pixel of 16 or 32 bits
  Palette palette;                       ///< of pixels of 8 bits or fewer

  bool run_lengths() const { return coding == BmpCoding::rle8 || coding == BmpCoding::rle4; }
  /// Bytes of a row in the file, which ends at a multiple of four bytes.
  std::size_t stride() const {
    constexpr Index word_bits = 32;
    return static_cast<std::size_t>(divide_up(width * bits, word_bits) * 4);
  }
};

/// Throws IoError, Unsupported.
BmpHeader read_bmp_header(PictureFile& file);

}  // namespace whorl::io
