// Kernel family: sums over a window that is the product of a column and a row.
#pragma once

#include <vector>

#include "filter/src/kernels/by_pixels.hpp"
#include "filter/src/kernels/points/point_ends.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// The taps along each axis: an odd number, at most longest_taps, the middle one for the pixel itself.
struct SeparableTaps {
  std::vector<double> y;
  std::vector<double> x;
};

inline constexpr Index longest_taps = 901;

/// to(y, x) = the sum over i, j of taps.y[i] taps.x[j] from(y + i - y.size() / 2, x + j - x.size() / 2), for each slice
/// and channel. First along y, then along x. Not in place. For images of pixels T, with operations at its ends.
/// uint8    in fixed point (fixed_taps in separable_taps.hpp)
/// others   in float32 with fused operations, in the order of the taps. Symmetric taps: from the middle outwards, the
///          numbers on both sides added first.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const SeparableTaps&, const BorderOptions&,
                         const PointEnds&, const void* from, void* to)>
    separable{by_pixels<T>("separable of uint8", "separable of uint16", "separable of float32")};

}  // namespace whorl::kernels
