// Kernel family: correlation of images with small kernels.
#pragma once

#include <type_traits>
#include <vector>

#include "filter/src/kernels/by_pixels.hpp"
#include "filter/src/kernels/points/point_ends.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// The largest weight for sums of 32 bits: two signed digits of eight bits, 127 * 256 + 127.
inline constexpr std::int32_t longest_short_weight = 32639;

/// A kernel and its last step, which computes scale * s + offset from a sum s of products, or from its magnitude. Integer
/// results are clipped to their range and rounded down; the offset includes 1/2, so that they are rounded to the nearest.
///
/// Integer images have integer weights and exact sums. The offset keeps results away from integers, so that any
/// rounding of the last step gives the same integer (fixed_point.hpp).
struct Stencil {
  Index width = 1;                     ///< odd
  Index height = 1;                    ///< odd
  std::vector<std::int32_t> integers;  ///< weights of integer images, [height * width]
  std::vector<float> reals;            ///< weights of float images
  /// The kernel is column(y) * row(x), exactly for integers; empty where it is not.
  std::vector<std::int32_t> integer_column, integer_row;
  std::vector<float> real_column, real_row;
  /// Sums fit 32 bits and weights do not exceed longest_short_weight; otherwise sums have up to 53 bits.
  bool short_sums = true;
  /// The last step is done in float32; otherwise in double.
  bool single_finish = true;
  bool absolute = false;
  double scale = 1;
  double offset = 0;
  Border border = Border::reflect;
  double border_value = 0;
};

/// From pixels T to pixels Out, which is T or float, with operations at its ends (PointEnds). Each channel and each slice
/// separately.
template <class T, class Out>
inline FilterKernel<void(const Context&, const ImageFormat&, const Stencil&, const PointEnds&, const void* from,
                         void* to)>
    stencil{std::is_same_v<T, Out> ? by_pixels<T>("stencil of uint8", "stencil of uint16", "stencil of float32")
                                   : by_pixels<T>("stencil of uint8 to float32", "stencil of uint16 to float32", "")};

}  // namespace whorl::kernels
