// The keys of a row next to a thread's own words.
#pragma once

#include "filter/src/cuda/ordered/packed_keys.cuh"
#include "filter/src/cuda/word_rows.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

/// The words of a row that a thread sees: its own, and on either side those with the numbers that are `channels` away.
template <class T, int channels, int own_words>
struct ThreeWords {
  static constexpr int per_word = numbers_per_word<T>;
  static constexpr int own = own_words;
  static constexpr int halo = divide_up(channels, per_word);
  static constexpr int count = own + 2 * halo;
};

inline __device__ std::uint32_t upper_and_lower(std::uint32_t a, std::uint32_t b) { return __byte_perm(a, b, 0x5432); }

// The keys from the number `part` of a word on.
template <int part>
__device__ PackedKeys<std::uint8_t> from_part(PackedKeys<std::uint8_t> a, PackedKeys<std::uint8_t> b) {
  if constexpr (part == 0) return a;
  if constexpr (part == 1) return {a.odd, upper_and_lower(a.even, b.even)};
  if constexpr (part == 2) return {upper_and_lower(a.even, b.even), upper_and_lower(a.odd, b.odd)};
  return {upper_and_lower(a.odd, b.odd), b.even};
}
template <int part>
__device__ PackedKeys<std::uint16_t> from_part(PackedKeys<std::uint16_t> a, PackedKeys<std::uint16_t> b) {
  if constexpr (part == 0) return a;
  return {upper_and_lower(a.both, b.both)};
}
template <int part>
__device__ PackedKeys<float> from_part(PackedKeys<float> a, PackedKeys<float> /*b*/) {
  return a;
}

/// The keys `distance` numbers beside the thread's word `word`, taken from all keys that the thread sees.
template <int distance, class Words, class Keys>
__device__ __forceinline__ Keys neighbor(const Keys* keys, int word) {
  constexpr int from = Words::halo * Words::per_word + distance;
  constexpr int part = from % Words::per_word;
  const int at = word + from / Words::per_word;
  return from_part<part>(keys[at], keys[part == 0 ? at : at + 1]);
}

/// A window's result for a row, for each of the thread's own words.
template <class Window, class T, int channels, class Words, class Made>
__device__ __forceinline__ void make_three_row(const PackedKeys<T>* keys, Made* made) {
#pragma unroll
  for (int i = 0; i < Words::own; ++i) {
    made[i] =
        Window::of_row(neighbor<-channels, Words>(keys, i), keys[i + Words::halo], neighbor<channels, Words>(keys, i));
  }
}

}  // namespace whorl::backend::cuda
