// The taps of resizing along an axis: the old pixels from which a new pixel is made, and their weights.
#pragma once

#include <vector>

#include "whorl/filter/geometry/resize.hpp"

namespace whorl::filters {

/// New pixel i is the sum over t < count of weights[i * count + t] times old pixel first[i] + t.
struct AxisTaps {
  std::vector<std::int32_t> first;
  std::vector<double> weights;
  Index count = 0;
};

AxisTaps axis_taps(const ResizeOptions& options, Index old_extent, Index extent);

/// The weights in units of 2^-bits; those of a new pixel sum to 2^bits.
std::vector<std::int32_t> quantized(const AxisTaps& taps, int bits);

}  // namespace whorl::filters
