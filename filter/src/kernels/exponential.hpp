// exp(-x), the same bits on every device.
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace whorl::kernels {

/// exp(-x) for x >= 0 to a relative 2e-7 (1 + x), at least 2^-126; exactly 1 for 0. Each product and sum is rounded
/// separately: sources that call it are compiled without contraction to fused operations.
constexpr float exp_minus(float x) {
  constexpr float most = 126.0F;  // the smallest power of two that is a normal float
  const float turned = x * std::numbers::log2e_v<float>;
  const float power = turned < most ? turned : most;
  const float above = power + 0.5F;
  const int whole = static_cast<int>(above);
  const float r = static_cast<float>(whole) - power;
  // 2^r by its series: |r| <= 1/2 leaves (ln 2 / 2)^7 / 7! = 1.2e-7.
  float sum = 1.54035304e-4F;
  sum = sum * r + 1.33335581e-3F;
  sum = sum * r + 9.61812911e-3F;
  sum = sum * r + 5.55041087e-2F;
  sum = sum * r + 2.40226507e-1F;
  sum = sum * r + std::numbers::ln2_v<float>;
  sum = sum * r + 1.0F;
  constexpr int bias = 127;
  constexpr int mantissa_bits = 23;
  return sum * std::bit_cast<float>(static_cast<std::int32_t>(bias - whole) << mantissa_bits);
}

}  // namespace whorl::kernels
