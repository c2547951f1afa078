// Kernel family: raises the detail of an image, which is its difference from a blurred image.
#pragma once

#include "filter/src/kernels/kernel.hpp"
#include "filter/src/kernels/points/point_arithmetic.hpp"

namespace whorl::kernels {

/// to = raised(image, blurred, amount) for each of `count` numbers. All three begin at multiples of 16 bytes.
template <class T>
inline FilterKernel<void(const Context&, Index count, float amount, const T* image, const T* blurred, T* to)>
    raise_detail{"raise_detail"};

/// v + amount (v - blurred), each operation rounded by itself; integers to the nearest (halves up), clipped.
template <class T>
WHORL_POINT T raised(T v, T blurred, float amount) {
  const auto light = static_cast<float>(v);
  const float sum = point::plus(light, point::times(amount, point::plus(light, -static_cast<float>(blurred))));
  if constexpr (std::is_same_v<T, float>) {
    return sum;
  } else {
    constexpr float full = sizeof(T) == 1 ? 255.0F : 65535.0F;
    return static_cast<T>(static_cast<int>(point::plus(point::within(sum, 0, full), 0.5F)));
  }
}

}  // namespace whorl::kernels
