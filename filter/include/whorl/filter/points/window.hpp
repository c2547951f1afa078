// Window: stretches a range of numbers to full scale.
#pragma once

#include <optional>

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

/// Either low and high or center and width.
struct WindowOptions {
  std::optional<double> low;     ///< becomes 0; none: 0
  std::optional<double> high;    ///< becomes full scale; none: full scale
  std::optional<double> center;  ///< the middle of the range
  std::optional<double> width;   ///< from low to high, above 0
};

/// v -> (v - low) full / (high - low) for each color, clipped to 0 and full: 255, 65535 or 1. If high is below low,
/// light and dark are exchanged. Not for complex images (Unsupported).
/// Throws  ValueError: low = high, center without width, both pairs
std::unique_ptr<Filter> make_window(const WindowOptions& options);

}  // namespace whorl
