// Integers of 64 bits, of which float64 holds those up to 2^53, and beyond them not all.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <string>

#include "whorl/core/view.hpp"

namespace whorl::io {

/// Whether a double holds the number to its last digit.
template <std::integral T>
bool fits_double(T value) {
  constexpr int mantissa_bits = 53;
  auto size = static_cast<std::uint64_t>(value);
  if (value < 0) size = ~size + 1;
  return size == 0 || std::bit_width(size) - std::countr_zero(size) <= mantissa_bits;
}

/// Throws IoError for an element that does not.
[[noreturn]] void fail_inexact(const std::string& source, Index element, const std::string& number);

}  // namespace whorl::io
