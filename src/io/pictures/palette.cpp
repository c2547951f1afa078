#include "io/pictures/palette.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {
constexpr unsigned bits_of_byte = 8;
constexpr std::uint8_t opaque = 255;
}  // namespace

Palette::Palette(std::vector<Color> colors, std::string name) : colors_(std::move(colors)), name_(std::move(name)) {
  const bool gray = std::all_of(colors_.begin(), colors_.end(),
                                [](const Color& color) { return color[0] == color[1] && color[1] == color[2]; });
  const bool solid = std::all_of(colors_.begin(), colors_.end(), [](const Color& color) { return color[3] == opaque; });
  channels_ = gray ? (solid ? Channels::gray : Channels::gray_alpha) : (solid ? Channels::rgb : Channels::rgba);
}

void Palette::expand(std::span<const std::uint8_t> indices, std::byte* to, Index row) const {
  const bool gray = channels_ == Channels::gray || channels_ == Channels::gray_alpha;
  const bool alpha = has_alpha(channels_);
  for (std::size_t x = 0; x < indices.size(); ++x) {
    if (indices[x] >= colors_.size()) {
      throw IoError(fmt::format("'{}' is damaged: row {}, column {} has color {} of a palette of {}", name_, row, x,
                                indices[x], colors_.size()));
    }
    const Color& color = colors_[indices[x]];
    *to++ = std::byte{color[0]};
    if (!gray) {
      *to++ = std::byte{color[1]};
      *to++ = std::byte{color[2]};
    }
    if (alpha) *to++ = std::byte{color[3]};
  }
}

void unpack_bits(const std::uint8_t* packed, int bits, std::span<std::uint8_t> numbers) {
  const auto width = static_cast<unsigned>(bits);
  const unsigned per_byte = bits_of_byte / width;
  const unsigned mask = (1U << width) - 1;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto shift = bits_of_byte - width * (static_cast<unsigned>(i % per_byte) + 1);
    numbers[i] = static_cast<std::uint8_t>((packed[i / per_byte] >> shift) & mask);
  }
}

}  // namespace whorl::io
