// Autocontrast: the range of light spread over the whole scale.
#pragma once

#include "whorl/filter/filter.hpp"

namespace whorl {

struct AutocontrastOptions {
  double fraction = 0;  ///< of the pixels that may be lost at each end, 0 to 0.4
};

/// v -> (v - lo) full / (hi - lo) for each color, where lo and hi are the least and largest luma, 0.2125 R + 0.7154 G +
/// 0.0721 B (truncated for integers), once floor(fraction N) of the N pixels are left out at each end; full is 255,
/// 65535 or 1. Truncated and clipped for integers. float32 is not clipped; lo and hi are the exact ones for fraction 0,
/// and else the edges of one of 65536 bins from the least luma to the largest. An image of one luma stays as it is. Not
/// for complex images (Unsupported).
/// Throws  ValueError (fraction)
std::unique_ptr<Filter> make_autocontrast(const AutocontrastOptions& options);

}  // namespace whorl
