#include "io/pictures/bmp_runs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "whorl/core/error.hpp"

namespace whorl::io {

namespace {

std::uint8_t next_byte(PictureFile& file) {
  const int byte = file.next();
  if (byte < 0) throw IoError(fmt::format("'{}' ends within its pixels: it is truncated", file.name()));
  return static_cast<std::uint8_t>(byte);
}

/// Index i of bytes with one index each, or two, the first in the high bits.
std::uint8_t part(std::uint8_t byte, bool nibbles, Index i) {
  if (!nibbles) return byte;
  return i % 2 == 0 ? static_cast<std::uint8_t>(byte >> 4U) : static_cast<std::uint8_t>(byte & 15U);
}

}  // namespace

BmpRuns::BmpRuns(PictureFile& file, const BmpHeader& header)
    : nibbles_(header.coding == BmpCoding::rle4), width_(header.width) {
  rows_.resize(static_cast<std::size_t>(header.height));
  file.seek(header.pixels_at);
  Next next{1, 0};
  for (auto row = static_cast<Index>(-1); next.up > 0;) {
    row += next.up;
    if (row >= header.height) return;  // the end of the last row, without one of the picture
    rows_[static_cast<std::size_t>(row)] = {file.position(), next.x};
    next = read_runs(file, next.x, nullptr);
  }
}

void BmpRuns::read_row(PictureFile& file, Index y, std::span<std::uint8_t> indices) const {
  std::fill(indices.begin(), indices.end(), std::uint8_t{0});
  const Start& start = rows_[rows_.size() - 1 - static_cast<std::size_t>(y)];
  if (start.at == 0) return;
  file.seek(start.at);
  read_runs(file, start.x, indices.data());
}

/// Two bytes each: a run and its color, or 0 and an escape.
BmpRuns::Next BmpRuns::read_runs(PictureFile& file, Index x, std::uint8_t* to) const {
  while (true) {
    const Index count = next_byte(file);
    const std::uint8_t second = next_byte(file);
    if (count == 0 && second == 0) return {1, 0};  // end of the row
    if (count == 0 && second == 1) return {0, 0};  // end of the picture
    if (count == 0 && second == 2) {               // a step to the right and up
      x += next_byte(file);
      const Index up = next_byte(file);
      check(file, x);
      if (up > 0) return {up, x};
      continue;
    }
    const Index pixels = count > 0 ? count : second;
    check(file, x + pixels);
    if (count == 0) {
      read_literal(file, pixels, to == nullptr ? nullptr : to + x);
    } else if (to != nullptr) {
      for (Index i = 0; i < pixels; ++i) to[x + i] = part(second, nibbles_, i);
    }
    x += pixels;
  }
}

/// Pixels as they are, padded to an even number of bytes.
void BmpRuns::read_literal(PictureFile& file, Index count, std::uint8_t* to) const {
  const Index bytes = nibbles_ ? (count + 1) / 2 : count;
  std::uint8_t byte = 0;
  for (Index i = 0; i < count; ++i) {
    if (!nibbles_ || i % 2 == 0) byte = next_byte(file);
    if (to != nullptr) to[i] = part(byte, nibbles_, i);
  }
  if (bytes % 2 == 1) next_byte(file);
}

void BmpRuns::check(const PictureFile& file, Index x) const {
  if (x <= width_) return;
  throw IoError(fmt::format("'{}' is damaged: a run ends at column {} of a picture of {}", file.name(), x, width_));
}

}  // namespace whorl::io
