// Palette: the colors of a picture's indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "whorl/core/image.hpp"

namespace whorl::io {

class Palette {
 public:
  using Color = std::array<std::uint8_t, 4>;  ///< red, green, blue, alpha

  Palette() = default;
  /// `name`: of the file, for messages.
  Palette(std::vector<Color> colors, std::string name);

  /// Gray where all colors are; with alpha where one is not opaque.
  Channels channels() const { return channels_; }
  /// A row of pixels. Throws IoError, naming the row, for an index without a color.
  void expand(std::span<const std::uint8_t> indices, std::byte* to, Index row) const;

 private:
  std::vector<Color> colors_;
  std::string name_;
  Channels channels_ = Channels::gray;
};

/// Unpacks indices of 1, 2, 4 (the first in a byte's high bits) or 8 bits to one byte each.
void unpack_bits(const std::uint8_t* packed, int bits, std::span<std::uint8_t> numbers);

}  // namespace whorl::io
