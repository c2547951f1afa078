// Convert: changes the type of numbers, full scale to full scale.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct PixelTypeOptions {
  PixelType type = PixelType::uint8;
};

/// v -> v full' / full, where full is 255, 65535 or 1; alpha too. Integers are rounded (halves up) and clipped; NaN
/// becomes 0. Complex images stay float32 (Unsupported else).
std::unique_ptr<Filter> make_convert(const PixelTypeOptions& options);

}  // namespace whorl
