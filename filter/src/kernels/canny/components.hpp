// Masks of pixels, whose connected components Canny finds.
#pragma once

#include "whorl/core/integer.hpp"
#include "whorl/core/view.hpp"

namespace whorl::kernels {

/// Masks with one bit per pixel: bit x % 32 of word x / 32 of a row. Bits beyond the width are 0.
struct BitMasks {
  Index slices = 0;
  Index height = 0;
  Index width = 0;

  static constexpr int word_bits = 32;
  Index words_per_row() const { return divide_up(width, word_bits); }
  Index words() const { return slices * height * words_per_row(); }
};

}  // namespace whorl::kernels
