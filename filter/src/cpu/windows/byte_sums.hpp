// Weighted sums of bytes in 16 bits, for kernels of small integers.
#pragma once

#include <cstdint>
#include <vector>

#include "whorl/core/array.hpp"

namespace whorl::backend::cpu {

/// The largest sum of the magnitudes of weights for which a sum of bytes fits signed 16 bits.
inline constexpr std::int32_t most_byte_weight = 128;

/// Two numbers of a kernel, as their places in it, and their weights. Magnitudes of the weights do not exceed 127.
struct BytePair {
  std::size_t first, second;
  std::int32_t first_weight, second_weight;
};

/// The last step of a sum s (or of its magnitude): s + start, or (s + start) * factor / 2^16 where the factor is not 0.
/// It is rounded down and clipped to a byte. s + start fits 16 bits.
struct ByteFinish {
  bool absolute = false;
  std::int32_t start = 0;
  std::int32_t factor = 0;
};

/// to[i] = the finished sum over all pairs of their weights times places[first][i] and places[second][i]. `stream`:
/// results are not needed soon and bypass the caches.
void byte_sums(const std::vector<BytePair>& pairs, const ByteFinish& finish, const std::uint8_t* const* places,
               Index count, bool stream, std::uint8_t* to);

/// Only the last step.
std::uint8_t finished_byte(std::int32_t sum, const ByteFinish& finish);

}  // namespace whorl::backend::cpu
