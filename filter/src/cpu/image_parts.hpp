// Division of an image into parts; a thread processes one part at a time.
#pragma once

#include <algorithm>

#include "whorl/core/image.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cpu {

/// Rows [top, bottom), and places [left, right) in each row.
struct ImagePart {
  Index slice, top, bottom, left, right;
  Index height() const { return bottom - top; }
  Index width() const { return right - left; }
};

/// Parts of at most `tall` rows and `wide` places, of `slices` slices of height x width places.
struct ImageParts {
  Index slices, height, width, tall, wide;

  Index down() const { return divide_up(height, tall); }
  Index across() const { return divide_up(width, wide); }
  Index count() const { return slices * down() * across(); }
  ImagePart part(Index i) const {
    const Index top = i / across() % down() * tall;
    const Index left = i % across() * wide;
    return {i / (across() * down()), top, std::min(top + tall, height), left, std::min(left + wide, width)};
  }
};

}  // namespace whorl::backend::cpu
