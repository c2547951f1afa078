/// Quotients and multiples of integers, on the host and in kernels.
#pragma once

#include <concepts>

#include "whorl/core/export.hpp"

namespace WHORL_PUBLIC whorl {

/// The quotient of two integers, rounded up: how many groups of `size` hold `count` things. count >= 0, size > 0.
template <std::integral Count, std::integral Size>
constexpr auto divide_up(Count count, Size size) {
  return (count + size - 1) / size;
}

/// The smallest multiple of `size` that is not below `count`.
template <std::integral Count, std::integral Size>
constexpr auto round_up(Count count, Size size) {
  return divide_up(count, size) * size;
}

}  // namespace whorl
