// Gamma: raises light to a power.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct GammaOptions {
  double exponent = 1;  ///< above 0; below 1 brightens
};

/// v -> full (v / full)^exponent for each color, where full is 255, 65535 or 1. Integers are the exact value rounded.
/// float32 is not clipped; numbers below 0 keep their sign. Not for complex images (Unsupported).
std::unique_ptr<Filter> make_gamma(const GammaOptions& options);

}  // namespace whorl
