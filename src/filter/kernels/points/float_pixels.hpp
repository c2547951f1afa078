// Kernel family: numbers of pixels as float32, where filters compute, and back.
#pragma once

#include <cstdint>
#include <type_traits>

#include "filter/kernels/kernel.hpp"

namespace whorl::kernels {

/// to = from - offset
template <class T>
inline FilterKernel<void(const Context&, Index count, float offset, const T* from, float* to)> to_float{"to_float"};

/// to = from + offset, integers rounded to the nearest (halves up) and clipped.
template <class T>
inline FilterKernel<void(const Context&, Index count, float offset, const float* from, T* to)> from_float{"from_float"};

/// The number of an integer type that is nearest to a float, halves up; the float itself for float. What is no number
/// becomes 0 in an integer.
template <class T>
constexpr T number_of(float value) {
  if constexpr (std::is_floating_point_v<T>) {
    return value;
  } else {
    constexpr auto most = static_cast<float>(static_cast<T>(-1));
    // value + 0.5 may round up to the next integer: what is left over tells.
    const float inside = value > 0 ? (value < most ? value : most) : 0;
    const auto whole = static_cast<std::int32_t>(inside);
    return static_cast<T>(whole + (inside - static_cast<float>(whole) >= 0.5F ? 1 : 0));
  }
}

}  // namespace whorl::kernels
