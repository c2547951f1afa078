// Convert: another type of numbers, over its whole scale.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

struct ConvertOptions {
  PixelType type = PixelType::uint8;
};

/// v -> v full' / full, where full is 255, 65535 or 1: rounded (halves up) and clipped to integers, where what is no
/// number becomes 0. Alpha too. Complex images stay float32 (Unsupported else).
std::unique_ptr<Filter> make_convert(const ConvertOptions& options);

}  // namespace whorl
