// Kernel family: means over discs, weighted by distance and by difference of value.
//
// Both devices make the same sums and products in the same order (rows of the disc from the top, each from the left). A
// product and a sum are one operation if the processor has it; then the results have the same bits.
#pragma once

#include <bit>
#include <cstdint>

#include "filter/src/kernels/edge.hpp"
#include "filter/src/kernels/kernel.hpp"
#include "filter/src/kernels/multiply_add.hpp"

namespace whorl::kernels {

inline constexpr Index largest_bilateral_radius = 100;

/// A weight is 2^-(place(x) + place(y) + (value d)^2), place(i) = i^2 place.
struct BilateralPlan {
  int radius = 1;
  float place = 0;
  float value = 0;
};

constexpr float place_exponent(const BilateralPlan& plan, int i) { return static_cast<float>(i * i) * plan.place; }

/// The number of pixels of a row of the disc on each side.
constexpr int disc_reach(int radius, int dy) {
  int reach = radius;
  while (reach * reach + dy * dy > radius * radius) --reach;
  return reach;
}

/// 2^-x for x >= 0 to a relative 3e-6, at least 2^-125; exactly 1 for 0.
WHORL_POINT float power_of_half(float x) {
  constexpr float most = 125.0F;
  constexpr float to_whole = 12582912.0F;  // 1.5 * 2^23: adding a number to it rounds the number to an integer
  const float power = x < most ? x : most;
  const float whole = power + to_whole;
  const float r = (whole - to_whole) - power;
  // 2^r for |r| <= 1/2, by the polynomial that is 1 for 0 and has the least relative error, 2.8e-6.
  float sum = 9.58287539e-3F;
  sum = multiply_add(sum, r, 5.59064825e-2F);
  sum = multiply_add(sum, r, 2.40240986e-1F);
  // NOLINTNEXTLINE(modernize-use-std-numbers): a coefficient of the fit, not ln 2
  sum = multiply_add(sum, r, 6.93124187e-1F);
  sum = multiply_add(sum, r, 1.0F);
  // The lowest bits of `whole` are the power, which is subtracted from the exponent.
  constexpr int mantissa_bits = 23;
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(sum) -
                              (std::bit_cast<std::uint32_t>(whole) << mantissa_bits));
}

template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, const BilateralPlan&, Edge<T>, const T* from, T* to)>
    bilateral{"bilateral"};

}  // namespace whorl::kernels
