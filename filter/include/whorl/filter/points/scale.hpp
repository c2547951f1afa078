// Scale: multiplies numbers by a factor and adds an offset.
#pragma once

#include "whorl/filter/filter.hpp"

namespace WHORL_PUBLIC whorl {

struct ScaleOptions {
  double factor = 1;
  double offset = 0;  ///< in the image's numbers
};

/// v -> factor v + offset for each color. The offset of complex images is added to the real part. Integers are the
/// exact value, rounded and clipped.
std::unique_ptr<Filter> make_scale(const ScaleOptions& options);

}  // namespace whorl
