// Gamma: light to a power.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

struct GammaOptions {
  double exponent = 1;  ///< above 0; below 1 brightens
};

/// v -> full (v / full)^exponent for each color, where full is 255, 65535 or 1; float32 below 0 keeps its sign, and is
/// not clipped. Integers are the exact value rounded. Not for complex images (Unsupported).
std::unique_ptr<Filter> make_gamma(const GammaOptions& options);

}  // namespace whorl
