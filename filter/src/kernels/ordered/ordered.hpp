// Pixels as integers of the same order, so that smallest, largest and median are defined for all bit patterns.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace whorl::kernels {

/// The integer by which a number is compared.
template <class T>
using Ordered = std::conditional_t<std::is_same_v<T, float>, std::int32_t, T>;

inline constexpr std::int32_t magnitude_bits = 0x7fffffff;
inline constexpr std::int32_t infinity_bits = 0x7f800000;

/// Integers are their own order. Floats compare like the integers of their bits, in reverse below zero. NaN is above
/// infinity, whatever its sign.
template <class T>
constexpr Ordered<T> to_ordered(T value) {
  if constexpr (std::is_same_v<T, float>) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    const std::int32_t magnitude = bits & magnitude_bits;
    if (magnitude > infinity_bits) return magnitude;
    return bits < 0 ? bits ^ magnitude_bits : bits;
  } else {
    return value;
  }
}

template <class T>
constexpr T from_ordered(Ordered<T> key) {
  if constexpr (std::is_same_v<T, float>) {
    return std::bit_cast<float>(key < 0 ? key ^ magnitude_bits : key);
  } else {
    return key;
  }
}

}  // namespace whorl::kernels
