// MeasuredSet: which pixels a comparison of two images counts.
#pragma once

#include "whorl/core/array.hpp"

namespace whorl {

/// The pixels that count: those where the mask is true, or all where the mask has no elements. A mask has the shape of
/// the images, or that of their last axes, and then holds for each of the images alike.
using MeasuredSet = ArrayRef<const bool>;

/// All pixels.
inline MeasuredSet all_pixels() { return {nullptr, {0}}; }

}  // namespace whorl
