// MeasuredSet: the pixels that count in a comparison of two images.
#pragma once

#include "whorl/core/array.hpp"

namespace WHORL_PUBLIC whorl {

/// The pixels that count: those where the mask is true, or all if the mask has no elements. A mask has the shape of the
/// images, or that of their last axes; in the latter case it applies to each image.
using MeasuredSet = ArrayRef<const bool>;

/// All pixels.
inline MeasuredSet all_pixels() { return {}; }

}  // namespace whorl
