// Real weights as integers, for sums that are the same on every device.
#pragma once

#include <vector>

#include "whorl/filter/windows/image_kernel.hpp"

namespace whorl::filters {

/// result = scale * (sum of integer products) + offset.
struct FixedPoint {
  std::vector<std::int32_t> weights;
  double scale = 1;
  double offset = 0;  ///< includes 1/2 and more if rounding to the nearest is requested
  bool short_sums = true;
  bool single_finish = true;
};

/// Integer weights, scale and offset for kernel / divisor + offset, on images of numbers from 0 to `largest`. Where
/// kernel, divisor and offset are decimals with a small common denominator D, they are exact and results are multiples
/// of 1/D. The offset is then larger by 1/2 + 1/(4 D), so that results that are rounded down, also in floating point,
/// are the exact results rounded half up. Otherwise weights are rounded to multiples of a power of two; a sum is at
/// most a quarter of a level off.
FixedPoint fixed_point(const ImageKernel& kernel, double divisor, double offset, double largest, bool rounded);

}  // namespace whorl::filters
