// Kernel family: sums over two images that score how well they match at each of several shifts.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

/// Sums over the pixels of a region that both images have, exact for integers.
template <class T>
struct ShiftSums {
  using Number = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  Number fixed, moving, fixed_squared, moving_squared, product;
};

/// Shift s = (i, j) = (s / side, s % side) of side^2, side = 2 radius + 1, pairs fixed(y, x) with
/// moving(y + dy + i - radius, x + dx + j - radius). The rows of the region, those of all slices, are cut into parts.
/// Channels are pixels of their own.
struct ShiftSumsJob {
  Index slices = 1;
  int channels = 1;
  Index height = 0;
  Index width = 0;
  Index top = 0, bottom = 0;  ///< rows of the region, the last excluded
  Index left = 0, right = 0;
  Index dy = 0, dx = 0;
  Index radius = 0;
  Index parts = 1;
};

struct ShiftOverlap {
  Index dy, dx;
  Index top, bottom, left, right;
};

/// The part of the region whose pixels the moving image has at a shift.
constexpr ShiftOverlap shift_overlap(const ShiftSumsJob& job, Index shift) {
  const Index side = 2 * job.radius + 1;
  const Index dy = job.dy + shift / side - job.radius;
  const Index dx = job.dx + shift % side - job.radius;
  const auto larger = [](Index a, Index b) { return a > b ? a : b; };
  const auto smaller = [](Index a, Index b) { return a < b ? a : b; };
  const Index top = larger(job.top, -dy);
  const Index left = larger(job.left, -dx);
  return {dy,   dx,
          top,  larger(top, smaller(job.bottom, job.height - dy)),
          left, larger(left, smaller(job.right, job.width - dx))};
}

/// sums[part][shift]
template <class T>
inline FilterKernel<void(const Context&, const ShiftSumsJob&, const T* fixed, const T* moving, ShiftSums<T>* sums)>
    shift_sums{"shift_sums"};

}  // namespace whorl::kernels
