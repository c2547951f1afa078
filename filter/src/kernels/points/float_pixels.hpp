// Kernel family: converts pixels to float32, in which filters compute, and back.
#pragma once

#include <cstdint>
#include <type_traits>

#include "filter/src/kernels/kernel.hpp"

namespace whorl::kernels {

/// to = from - offset
template <class T>
inline FilterKernel<void(const Context&, Index count, float offset, const T* from, float* to)> to_float{"to_float"};

/// to = from + offset, integers rounded to the nearest (halves up) and clipped.
template <class T>
inline FilterKernel<void(const Context&, Index count, float offset, const float* from, T* to)> from_float{"from_float"};

/// The integer that is nearest to a float, halves up; NaN becomes 0. For T = float the float itself.
template <class T>
constexpr T number_of(float value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    constexpr auto most = static_cast<float>(static_cast<T>(-1));
    // value + 0.5 may round up to the next integer, which the remainder shows.
    const float inside = value > 0 ? (value < most ? value : most) : 0;
    const auto whole = static_cast<std::int32_t>(inside);
    return static_cast<T>(whole + (inside - static_cast<float>(whole) >= 0.5F ? 1 : 0));
  }
}

}  // namespace whorl::kernels
