// Clip: limits numbers to a range.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct ClipOptions {
  std::optional<double> low;   ///< none: no bound
  std::optional<double> high;  ///< none: no bound
};

/// v -> low where v < low, high where v > high, for each color. Bounds of integers are rounded. Not for complex images
/// (Unsupported).
/// Throws  ValueError: low above high
std::unique_ptr<Filter> make_clip(const ClipOptions& options);

}  // namespace whorl
