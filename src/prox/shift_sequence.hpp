// Shifts of the versions of a function (ProximalFunction, Passes).
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "whorl/core/random.hpp"
#include "whorl/core/view.hpp"

namespace whorl {

/// Bits of a pass's shift along each of the axes that shift (most > 1), the first of them the lowest; 0 for others, and
/// for pass 0.
///
/// With s such axes a digit has 2^s values, a bit for each axis: an element of the field of so many. The digits b_j of the
/// pass give the shift's, d_j = b_j + x d_(j-1), where x generates the field, with a random digit of the seed added. So among
/// 2^s passes in a row from a multiple of 2^s each digit takes all its values, and among 4^s any two digits that follow
/// each other do. Shifts by 1, 2, 4, ... elements all differ from one pass to the next: what a shift adds to an iteration has
/// no slow part, which momentum would add up. A digital sequence: Niederreiter, Monatsh Math 104 (1987) 273.
inline std::array<std::uint32_t, 3> shift_bits(std::uint64_t seed, Index pass, const std::array<Index, 3>& most) {
  constexpr int digits = 16;
  constexpr std::array<std::uint32_t, 4> polynomials{0, 0b11, 0b111, 0b1011};  // primitive, of degree s
  std::uint32_t axes = 0;
  for (const Index extent : most) axes += extent > 1 ? 1 : 0;
  std::array<std::uint32_t, 3> bits{};
  if (axes == 0 || pass == 0) return bits;
  const std::uint32_t values = 1U << axes;
  auto rest = static_cast<std::uint64_t>(pass);
  std::uint32_t digit = 0;
  for (int j = 0; j < digits; ++j, rest >>= axes) {
    digit <<= 1U;
    if ((digit & values) != 0) digit ^= polynomials.at(axes);
    digit ^= static_cast<std::uint32_t>(rest) & (values - 1);
    const auto added = static_cast<std::uint32_t>(random_uniform(seed, static_cast<std::uint64_t>(j)) * values);
    std::uint32_t of_axes = digit ^ added;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (most[axis] <= 1) continue;
      bits[axis] |= (of_axes & 1U) << static_cast<unsigned>(j);
      of_axes >>= 1U;
    }
  }
  return bits;
}

/// Shift of wavelets, whose level l has a grid of 2^l elements: below `most` along each axis, and none for pass 0. The shift modulo
/// 2^l is that of the first l digits, which a power of two up to `most` leaves.
inline std::array<Index, 3> grid_shift(std::uint64_t seed, Index pass, const std::array<Index, 3>& most) {
  std::array<Index, 3> shift{};
  const auto bits = shift_bits(seed, pass, most);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    shift[axis] = static_cast<Index>(bits[axis] & (std::bit_floor(static_cast<std::uint64_t>(most[axis])) - 1));
  }
  return shift;
}

/// Shift of patches of `patch` elements: below it along each axis, evenly spread, and none for pass 0. The first digit decides
/// most, so that passes in a row cut the image at places far from each other.
inline std::array<Index, 3> patch_shift(std::uint64_t seed, Index pass, const std::array<Index, 3>& patch) {
  std::array<Index, 3> shift{};
  const auto bits = shift_bits(seed, pass, patch);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double at = 0;
    for (unsigned j = 0; j < 16; ++j) at += static_cast<double>((bits[axis] >> j) & 1U) / static_cast<double>(2U << j);
    shift[axis] = static_cast<Index>(at * static_cast<double>(patch[axis]));
  }
  return shift;
}

}  // namespace whorl
