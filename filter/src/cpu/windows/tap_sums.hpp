// Weighted sums of numbers at fixed distances, for one or two rows of results at a time. The input must be followed by
// tap_slack more numbers, of any value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

inline constexpr std::size_t tap_slack = 96;

/// The distance of a number from the place of the result, and its weight in the first and in the second row.
template <class Weight>
struct Tap {
  std::ptrdiff_t offset;
  Weight first;
  Weight second;
};

/// Two weights of 16 bits, the first in the low half, for a pair of numbers.
using PairTap = Tap<std::int32_t>;

/// Taps of only the first row, of both rows, and of only the second row.
template <class Weight>
struct Taps {
  std::vector<Tap<Weight>> first, both, second;
};

/// The last step: scale * sum + offset, of the sum or its magnitude. Integers are clipped to 0 to `largest` and rounded
/// down.
struct TapFinish {
  float scale = 1;
  float offset = 0;
  float largest = 0;
  bool absolute = false;
  bool stream = false;  ///< sums of float are written past the caches, to places that are multiples of 64 bytes
  bool plain = false;   ///< the scale is 1 and the offset is part of the sum: integers are only clipped
};

/// to[i] = the low halves of a[i] and b[i], with a's in the low half. 32768 is subtracted from 16-bit numbers, so that
/// they are signed.
void pack_pairs(const std::uint8_t* a, const std::uint8_t* b, std::size_t count, std::int32_t* to);
void pack_pairs(const std::uint16_t* a, const std::uint16_t* b, std::size_t count, std::int32_t* to);
void pack_pairs(const std::int32_t* a, const std::int32_t* b, std::size_t count, std::int32_t* to);

/// Sums of pairs of products, beginning with `start`, modulo 2^32. `second` is null if there is one row. Sums of type
/// std::int32_t are not finished.
void pair_sums(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start, const TapFinish& finish,
               std::size_t count, std::uint8_t* first, std::uint8_t* second);
void pair_sums(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start, const TapFinish& finish,
               std::size_t count, std::uint16_t* first, std::uint16_t* second);
void pair_sums(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start, const TapFinish& finish,
               std::size_t count, float* first, float* second);
void pair_sums(const std::int32_t* pairs, const Taps<std::int32_t>& taps, std::int32_t start, const TapFinish& finish,
               std::size_t count, std::int32_t* first, std::int32_t* second);

/// Sums of products. Those in double are not finished.
void real_sums(const float* numbers, const Taps<float>& taps, const TapFinish& finish, std::size_t count, float* first,
               float* second);
void real_sums(const double* numbers, const Taps<double>& taps, const TapFinish& finish, std::size_t count,
               double* first, double* second);

/// Rows of results and the numbers of each.
struct TapRows {
  Index rows, count;
};

/// Sums of products for rows `stride` apart, from numbers whose rows are `pitch` apart. If the number of rows is odd, one more
/// is written to `unused`. Reads nothing after the last row's numbers if the count is a multiple of 16.
void real_sums_of_rows(const float* numbers, Index pitch, const Taps<float>& taps, const TapFinish& finish,
                       TapRows area, float* to, Index stride, float* unused);

}  // namespace whorl::backend::cpu
