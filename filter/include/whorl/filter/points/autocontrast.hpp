// Autocontrast: stretches the range of light to full scale.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct AutocontrastOptions {
  double fraction = 0;  ///< of the pixels left out at each end, 0 to 0.4
};

/// v -> (v - lo) full / (hi - lo) for each color; full is 255, 65535 or 1. lo and hi are the smallest and largest luma,
/// 0.2125 R + 0.7154 G + 0.0721 B (truncated for integers), after floor(fraction N) of the N pixels are left out at
/// each end. An image of one luma stays as it is.
///
/// Integers  are truncated and clipped.
/// Floats    are not clipped. lo and hi are exact for fraction 0, else edges of one of 65536 bins from the smallest to
///           the largest luma.
/// Throws    ValueError (fraction); Unsupported (complex images)
std::unique_ptr<Filter> make_autocontrast(const AutocontrastOptions& options);

}  // namespace whorl
