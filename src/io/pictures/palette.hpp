// Palette: the colors that the numbers of a picture stand for.
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
  /// Of a file that messages call `name`.
  Palette(std::vector<Color> colors, std::string name);

  /// Gray where all colors are; with alpha where one is not opaque.
  Channels channels() const { return channels_; }
  /// A row of pixels. Throws IoError for an index that has no color, naming the row.
  void expand(std::span<const std::uint8_t> indices, std::byte* to, Index row) const;

 private:
  std::vector<Color> colors_;
  std::string name_;
  Channels channels_ = Channels::gray;
};

/// Numbers of 1, 2 or 4 bits, the first in a byte's high bits, or of 8, as one byte each.
void unpack_bits(const std::uint8_t* packed, int bits, std::span<std::uint8_t> numbers);

}  // namespace whorl::io
