// Kernel family: resamples images along slanted lines.
#pragma once

#include <limits>
#include <type_traits>

#include "filter/src/kernels/kernel.hpp"
#include "whorl/core/image.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::kernels {

/// A length in units of 2^-32 pixels, so that every device computes the same positions.
using Fixed = std::int64_t;
inline constexpr int fixed_bits = 32;

/// Pixel (y, x) of the result is read at start + y down + x along, in an image of height x width pixels of which only
/// the rows from first_row on are in memory.
template <class T>
struct WarpJob {
  Index slices = 1;
  int channels = 1;
  Index height = 0;
  Index width = 0;
  Index first_row = 0;
  Index rows_there = 0;
  Index result_height = 0;
  Index result_width = 0;
  Fixed start_y = 0, start_x = 0;
  Fixed down_y = 0, down_x = 0;
  Fixed along_y = 0, along_x = 0;
  bool cubic = false;  ///< Keys' kernel with a = -1/2; else linear
  Border border = Border::constant;
  T value{};
};

/// The type of weights: integers for integers, so that the order of sums does not matter.
template <class T>
using WarpNumber = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
inline constexpr int warp_weight_bits = 15;

/// The fraction of a position between two pixels, as a weight.
template <class T>
constexpr WarpNumber<T> warp_fraction(Fixed position) {
  constexpr auto below = (Fixed{1} << fixed_bits) - 1;
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T unit = T{1} / static_cast<T>(Fixed{1} << fixed_bits);
    return static_cast<T>(position & below) * unit;
  } else {
    return (position & below) >> (fixed_bits - warp_weight_bits);
  }
}

/// Weights of the pixels from floor(position) - 1 on (cubic), or from floor(position) on (linear). They sum to one.
template <class T>
constexpr void warp_weights(Fixed position, bool cubic, WarpNumber<T> (&w)[4]) {
  using Number = WarpNumber<T>;
  const Number t = warp_fraction<T>(position);
  if constexpr (std::is_floating_point_v<T>) {
    if (!cubic) {
      w[0] = 1 - t;
      w[1] = t;
      return;
    }
    const Number half = Number{1} / 2;
    w[0] = half * (((2 - t) * t - 1) * t);
    w[2] = half * (((4 - 3 * t) * t + 1) * t);
    w[3] = half * ((t - 1) * t * t);
    w[1] = 1 - w[0] - w[2] - w[3];
  } else {
    constexpr Number one = Number{1} << warp_weight_bits;
    if (!cubic) {
      w[0] = one - t;
      w[1] = t;
      return;
    }
    const Number t2 = (t * t) >> warp_weight_bits;
    const Number t3 = (t2 * t) >> warp_weight_bits;
    w[0] = (2 * t2 - t3 - t) >> 1;
    w[2] = (4 * t2 - 3 * t3 + t) >> 1;
    w[3] = (t3 - t2) >> 1;
    w[1] = one - w[0] - w[2] - w[3];
  }
}

template <class T>
constexpr T warp_result(WarpNumber<T> sum) {
  if constexpr (std::is_floating_point_v<T>) {
    return sum;
  } else {
    constexpr int shift = 2 * warp_weight_bits;
    constexpr auto largest = static_cast<std::int64_t>(std::numeric_limits<T>::max());
    const std::int64_t level = (sum + (std::int64_t{1} << (shift - 1))) >> shift;
    return static_cast<T>(level < 0 ? 0 : level > largest ? largest : level);
  }
}

/// One pixel of the result, computed from a slice.
template <class T>
constexpr void warp_pixel(const WarpJob<T>& job, const T* slice, Index y, Index x, T* to) {
  using Number = WarpNumber<T>;
  const Fixed at_y = job.start_y + y * job.down_y + x * job.along_y;
  const Fixed at_x = job.start_x + y * job.down_x + x * job.along_x;
  Number wy[4] = {};
  Number wx[4] = {};
  warp_weights<T>(at_y, job.cubic, wy);
  warp_weights<T>(at_x, job.cubic, wx);
  const int taps = job.cubic ? 4 : 2;
  const Index top = (at_y >> fixed_bits) - (job.cubic ? 1 : 0);
  const Index left = (at_x >> fixed_bits) - (job.cubic ? 1 : 0);
  Index columns[4] = {};
  for (int t = 0; t < taps; ++t) columns[t] = border_index(job.border, left + t, job.width);
  Number sums[4] = {};
  for (int s = 0; s < taps; ++s) {
    // A pixel of weight 0 may be in a row that the band lacks.
    if (wy[s] == 0) continue;
    const Index row = border_index(job.border, top + s, job.height);
    const T* near = slice + (row - job.first_row) * job.width * job.channels;
    for (int c = 0; c < job.channels; ++c) {
      Number sum = 0;
      for (int t = 0; t < taps; ++t) {
        const bool outside = row < 0 || columns[t] < 0;
        sum += wx[t] * static_cast<Number>(outside ? job.value : near[columns[t] * job.channels + c]);
      }
      sums[c] += wy[s] * sum;
    }
  }
  for (int c = 0; c < job.channels; ++c) to[c] = warp_result<T>(sums[c]);
}

template <class T>
inline FilterKernel<void(const Context&, const WarpJob<T>&, const T* from, T* to)> warp{"warp"};

}  // namespace whorl::kernels
