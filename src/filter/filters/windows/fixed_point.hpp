// Real weights as integers, for sums that are the same on every device.
#pragma once

#include <vector>

#include "whorl/filter/windows/image_kernel.hpp"

namespace whorl::filters {

/// result = scale * (sum of integer products) + offset.
struct FixedPoint {
  std::vector<std::int32_t> weights;
  double scale = 1;
  double offset = 0;  ///< with what rounds to the nearest where that is asked for
  bool short_sums = true;
  bool single_finish = true;
};

/// Integers for kernel / divisor and an offset, on images of numbers from 0 to `largest`. Where kernel, divisor and
/// offset are decimals with a small common denominator D, weights and scale are exact, results are multiples of 1/D,
/// and 1/(4 D) above the half makes the integer below, in floating point too, that of the exact result rounded half up.
/// Otherwise weights are rounded to multiples of a power of two, at most a quarter of a level off in a sum.
FixedPoint fixed_point(const ImageKernel& kernel, double divisor, double offset, double largest, bool rounded);

}  // namespace whorl::filters
