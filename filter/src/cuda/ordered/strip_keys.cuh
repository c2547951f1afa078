// Keys of numbers in words, on an NVIDIA GPU. If numbers are small, a word holds two that are far apart in the row.
#pragma once

#include <type_traits>

#include "filter/src/cuda/ordered/packed_keys.cuh"
#include "filter/src/cuda/word_rows.cuh"

namespace whorl::backend::cuda {

/// A thread's part of a row is one or two consecutive strips of `pixels` pixels. A register has the numbers of the same
/// place in both strips, so that neighbors in the row are in other registers, not in the other half of the same one.
template <class T, int channels, int pixels>
struct Strips {
  using Keys = PackedKeys<std::conditional_t<std::is_same_v<T, float>, float, std::uint16_t>>;
  static constexpr int count = sizeof(T) < word_bytes ? 2 : 1;
  static constexpr int words = pixels * channels / numbers_per_word<T>;  ///< of a strip
  static constexpr int own = count * words;
  static_assert(words * numbers_per_word<T> == pixels * channels);

  /// Number `number` of each strip. A byte is the upper one of two, so it decides, whatever is below it.
  static __device__ Keys take(const std::uint32_t* row, int number) {
    const int word = number / numbers_per_word<T>;
    const int part = number % numbers_per_word<T>;
    if constexpr (sizeof(T) == 1)
      return {__byte_perm(row[word], row[word + words], part * 0x0011 + (part + 4) * 0x1100)};
    if constexpr (sizeof(T) == 2) return {__byte_perm(row[word], row[word + words], part == 0 ? 0x5410 : 0x7632)};
    if constexpr (sizeof(T) == 4) return Keys::unpack(row[word]);
  }
  static __device__ void put(Keys keys, int number, std::uint32_t* row) {
    const int word = number / numbers_per_word<T>;
    const int part = number % numbers_per_word<T>;
    const std::uint32_t packed = keys.pack();
    if constexpr (sizeof(T) == 4) {
      row[word] = packed;
    } else {
      // Bytes 4 to 7 are those of the keys.
      constexpr std::uint32_t same = 0x3210;
      constexpr std::uint32_t first = sizeof(T) == 1 ? 5 : 0x54;
      constexpr std::uint32_t second = sizeof(T) == 1 ? 7 : 0x76;
      constexpr int bits = 4 * static_cast<int>(sizeof(T));
      const std::uint32_t others = same & ~(((1U << bits) - 1) << (part * bits));
      row[word] = __byte_perm(row[word], packed, others | first << (part * bits));
      row[word + words] = __byte_perm(row[word + words], packed, others | second << (part * bits));
    }
  }
};

}  // namespace whorl::backend::cuda
