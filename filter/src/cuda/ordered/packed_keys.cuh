// The numbers of a word in registers, compared in parallel: four bytes as two pairs of 16 bits, two numbers of 16 bits,
// or one of 32. Bytes are the upper bytes of 16 bits, so they decide, whatever is below them.
#pragma once

#include "filter/src/kernels/ordered/ordered.hpp"

namespace whorl::backend::cuda {

template <class T>
struct PackedKeys;

template <>
struct PackedKeys<std::uint8_t> {
  std::uint32_t even, odd;

  static __device__ PackedKeys unpack(std::uint32_t word) { return {word << 8, word}; }
  __device__ std::uint32_t pack() const { return __byte_perm(even, odd, 0x7351); }
};

template <>
struct PackedKeys<std::uint16_t> {
  std::uint32_t both;

  static __device__ PackedKeys unpack(std::uint32_t word) { return {word}; }
  __device__ std::uint32_t pack() const { return both; }
};

template <>
struct PackedKeys<float> {
  std::int32_t key;

  static __device__ PackedKeys unpack(std::uint32_t word) { return {static_cast<std::int32_t>(word)}; }
  __device__ std::uint32_t pack() const { return static_cast<std::uint32_t>(key); }
};

inline __device__ PackedKeys<std::uint8_t> smaller(PackedKeys<std::uint8_t> a, PackedKeys<std::uint8_t> b) {
  return {__vminu2(a.even, b.even), __vminu2(a.odd, b.odd)};
}
inline __device__ PackedKeys<std::uint8_t> larger(PackedKeys<std::uint8_t> a, PackedKeys<std::uint8_t> b) {
  return {__vmaxu2(a.even, b.even), __vmaxu2(a.odd, b.odd)};
}
inline __device__ PackedKeys<std::uint16_t> smaller(PackedKeys<std::uint16_t> a, PackedKeys<std::uint16_t> b) {
  return {__vminu2(a.both, b.both)};
}
inline __device__ PackedKeys<std::uint16_t> larger(PackedKeys<std::uint16_t> a, PackedKeys<std::uint16_t> b) {
  return {__vmaxu2(a.both, b.both)};
}
inline __device__ PackedKeys<float> smaller(PackedKeys<float> a, PackedKeys<float> b) { return {min(a.key, b.key)}; }
inline __device__ PackedKeys<float> larger(PackedKeys<float> a, PackedKeys<float> b) { return {max(a.key, b.key)}; }

inline __device__ PackedKeys<std::uint8_t> operator^(PackedKeys<std::uint8_t> a, PackedKeys<std::uint8_t> b) {
  return {a.even ^ b.even, a.odd ^ b.odd};
}
inline __device__ PackedKeys<std::uint16_t> operator^(PackedKeys<std::uint16_t> a, PackedKeys<std::uint16_t> b) {
  return {a.both ^ b.both};
}
inline __device__ PackedKeys<float> operator^(PackedKeys<float> a, PackedKeys<float> b) { return {a.key ^ b.key}; }

/// Sorts three numbers; the middle one follows from all three and the other two.
template <class Keys>
__device__ __forceinline__ void sort_three(Keys a, Keys b, Keys c, Keys& low, Keys& mid, Keys& high) {
  low = smaller(smaller(a, b), c);
  high = larger(larger(a, b), c);
  mid = a ^ b ^ c ^ low ^ high;
}

/// The medians of three.
template <class Keys>
__device__ __forceinline__ Keys middle(Keys a, Keys b, Keys c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

}  // namespace whorl::backend::cuda
