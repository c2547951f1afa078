// Kernel family: resamples images to other numbers of rows and columns.
#pragma once

#include <limits>
#include <type_traits>

#include "filter/src/kernels/by_pixels.hpp"
#include "filter/src/kernels/points/point_ends.hpp"
#include "whorl/core/image.hpp"

namespace whorl::kernels {

/// The types of resizing: of weights, of rows between the passes, and of sums of products.
template <class T>
struct ResizeNumbers {
  using Weight = std::int32_t;
  using Middle = std::int32_t;
  using Sum = std::conditional_t<sizeof(T) == 1, std::int32_t, std::int64_t>;
  /// Bits that the first pass drops from its sums.
  static constexpr int first_shift = sizeof(T) == 1 ? 8 : 14;
};
template <>
struct ResizeNumbers<float> {
  using Weight = float;
  using Middle = float;
  using Sum = float;
};

/// Along one axis: new pixel i is the sum over t < count of weights[i * count + t] times old pixel first[i] + t. All
/// old pixels are in the image. The arrays are on the device.
template <class Weight>
struct Taps {
  const std::int32_t* first = nullptr;
  const Weight* weights = nullptr;
  Index count = 0;
};

/// Bits of the weights of uint8 with two taps. These are not negative, and the second is below one.
inline constexpr int two_tap_bits = 15;

struct ResizeJob {
  Index slices = 1;
  Index old_height = 0;
  Index old_width = 0;
  Index height = 0;
  Index width = 0;
  int channels = 1;
  bool columns_first = false;
  int weight_bits = 0;  ///< integers: a weight of one is 2^weight_bits
};

/// The number for the second pass from a sum of the first pass.
template <class T>
constexpr typename ResizeNumbers<T>::Middle resize_middle(typename ResizeNumbers<T>::Sum sum) {
  if constexpr (std::is_floating_point_v<T>) {
    return sum;
  } else {
    using Numbers = ResizeNumbers<T>;
    constexpr auto half = typename Numbers::Sum{1} << (Numbers::first_shift - 1);
    return static_cast<typename Numbers::Middle>((sum + half) >> Numbers::first_shift);
  }
}

/// The pixel for a sum of the second pass. To round, half a level is added, and half a unit of the rows between the
/// passes: on a CPU the product of two taps is rounded to such a unit first.
template <class T>
constexpr T resize_result(typename ResizeNumbers<T>::Sum sum, int weight_bits) {
  if constexpr (std::is_floating_point_v<T>) {
    return sum;
  } else {
    using Numbers = ResizeNumbers<T>;
    using Sum = typename Numbers::Sum;
    constexpr auto largest = static_cast<Sum>(std::numeric_limits<T>::max());
    const int shift = 2 * weight_bits - Numbers::first_shift;
    const Sum level = (sum + (Sum{1} << (shift - 1)) + (Sum{1} << (weight_bits - 1))) >> shift;
    return static_cast<T>(level < 0 ? 0 : level > largest ? largest : level);
  }
}

template <class T>
using ResizeTaps = Taps<typename ResizeNumbers<T>::Weight>;

/// For images of pixels T, with operations at its ends (PointEnds).
template <class T>
inline FilterKernel<void(const Context&, const ResizeJob&, const ResizeTaps<T>& rows, const ResizeTaps<T>& columns,
                         const PointEnds&, const void* from, void* to)>
    resize{by_pixels<T>("resize of uint8", "resize of uint16", "resize of float32")};

}  // namespace whorl::kernels
