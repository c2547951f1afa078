// Four bytes of a row of an enlarged image, made from bytes of old rows along x and then along y, with two or four
// taps. Two taps are computed in float and give the same as integers: fused sums are rounded once, down to the units to
// which integers are truncated.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/geometry/resize.hpp"

namespace whorl::backend::cuda {

using ByteTaps = kernels::ResizeTaps<std::uint8_t>;
inline constexpr int byte_four_tap_bits = 14;
inline constexpr int byte_middle_bits = kernels::ResizeNumbers<std::uint8_t>::first_shift;

/// The types for an old row with its new columns, and for a new row.
template <int taps>
struct EnlargedBytes;

template <>
struct EnlargedBytes<2> {
  static constexpr int words = 4;  // of a thread in a row
  using Held = float;
  struct alignas(8) NewRow {
    float below;  // the weight of the second old row
    int above;    // the first of the old rows
  };
  __device__ static NewRow row(const std::int32_t* weights, int above) {
    return {static_cast<float>(weights[1]) / (1U << kernels::two_tap_bits), above};
  }
};

template <>
struct EnlargedBytes<4> {
  static constexpr int words = 2;
  using Held = int;
  struct alignas(16) NewRow {
    int4 weights;
    int above;
  };
  __device__ static NewRow row(const std::int32_t* weights, int above) {
    return {{weights[0], weights[1], weights[2], weights[3]}, above};
  }
};

/// The neighbors of four bytes, in a row of bytes from memory[0] on. The first neighbors lie within seven bytes, each
/// further neighbor one pixel on: two taps need eight bytes, and the next two taps eight bytes that are two pixels
/// further.
template <int taps>
struct NearBytes {
  static constexpr int pairs = taps / 2;
  unsigned bits[pairs];        // before those bytes
  unsigned word[pairs];        // the start of the word in which they begin
  unsigned selectors[2];       // of two neighbors of two bytes each
  unsigned weights[pairs][4];  // two of 16 bits

  __device__ void place(unsigned byte, int channels) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      bits[p] = 8 * (byte + static_cast<unsigned>(2 * p * channels));
      word[p] = bits[p] / 32 * 4;
    }
  }

  __device__ void move(unsigned bytes) {
#pragma unroll
    for (int p = 0; p < pairs; ++p) {
      bits[p] += 8 * bytes;
      word[p] = bits[p] / 32 * 4;
    }
  }
};
template <int taps>
inline constexpr int near_bytes_window(int channels) {
  constexpr int window = 8;
  return window + (taps - 2) * channels;
}

/// Finds the neighbors of the bytes from `channel` of column x on; returns the start of their first neighbors.
template <int taps>
__device__ Index near_bytes(const ByteTaps& columns, Index width, int channels, Index x, int channel,
                            NearBytes<taps>& near) {
  Index left[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    left[k] = columns.first[x] * Index{channels} + channel;
    const std::int32_t* const weights = columns.weights + taps * x;
#pragma unroll
    for (int p = 0; p < taps / 2; ++p) {
      near.weights[p][k] = (static_cast<unsigned>(weights[2 * p]) & 0xFFFFU) | static_cast<unsigned>(weights[2 * p + 1])
                                                                                   << 16;
    }
    const bool pixel_done = channel + 1 == channels;
    if (pixel_done && x + 1 == width) continue;  // bytes beyond the row are made as its last, and not stored
    channel = pixel_done ? 0 : channel + 1;
    x += pixel_done ? 1 : 0;
  }
  const Index base = min(min(left[0], left[1]), min(left[2], left[3]));
  near.selectors[0] = 0;
  near.selectors[1] = 0;
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const auto at = static_cast<unsigned>(left[k] - base);
    near.selectors[k / 2] |= (at | (at + channels) << 4) << (8 * (k % 2));
  }
  return base;
}

/// The neighbors of the pair of taps p: two each of the first two bytes, and of the others.
template <int taps>
__device__ uint2 neighbors(const NearBytes<taps>& near, const std::uint8_t* row, int p) {
  const auto* const words = reinterpret_cast<const unsigned*>(row + near.word[p]);
  const unsigned low = __funnelshift_r(words[0], words[1], near.bits[p]);
  const unsigned high = __funnelshift_r(words[1], words[2], near.bits[p]);
  return {__byte_perm(low, high, near.selectors[0]), __byte_perm(low, high, near.selectors[1])};
}

/// The bytes with their new columns: a number m of kernels::resize_middle is stored as 256 (m + 64.5) + 2^30, which
/// includes half a level and half a unit. Floats above 2^30 have units of 128, half the unit of m.
__device__ inline void stretch(const NearBytes<2>& near, const std::uint8_t* row, float (&to)[4]) {
  constexpr float integers_from = 8388608.0F;  // from 2^23 on the last bit of a float is that of an integer
  constexpr float cut_from = 256 * integers_from;
  constexpr float halves_from = 128 * integers_from;
  constexpr unsigned half = 1U << (byte_middle_bits - 1);
  constexpr unsigned half_level = 1U << (kernels::two_tap_bits - 1);
  constexpr unsigned bias = 0x4B000000U + half_level + half;  // on the bits of integers_from
  const uint2 pair = neighbors(near, row, 0);
  const unsigned sums[4] = {__dp2a_lo(near.weights[0][0], pair.x, bias), __dp2a_hi(near.weights[0][1], pair.x, bias),
                            __dp2a_lo(near.weights[0][2], pair.y, bias), __dp2a_hi(near.weights[0][3], pair.y, bias)};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float cut = __fadd_rd(__uint_as_float(sums[k]), cut_from - integers_from);
    to[k] = __fadd_rn(cut, halves_from - cut_from + half);
  }
}

/// Sums of two products of signed weights with bytes, the lower two or the upper.
__device__ inline int add_lower(unsigned weights, unsigned bytes, int sum) {
  int result;
  asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(bytes), "r"(sum));
  return result;
}
__device__ inline int add_upper(unsigned weights, unsigned bytes, int sum) {
  int result;
  asm("dp2a.hi.s32.u32 %0, %1, %2, %3;" : "=r"(result) : "r"(weights), "r"(bytes), "r"(sum));
  return result;
}

/// The numbers of kernels::resize_middle.
__device__ inline void stretch(const NearBytes<4>& near, const std::uint8_t* row, int (&to)[4]) {
  constexpr int half = 1 << (byte_middle_bits - 1);
  const uint2 inner = neighbors(near, row, 0);
  const uint2 outer = neighbors(near, row, 1);
  to[0] = add_lower(near.weights[1][0], outer.x, add_lower(near.weights[0][0], inner.x, half)) >> byte_middle_bits;
  to[1] = add_upper(near.weights[1][1], outer.x, add_upper(near.weights[0][1], inner.x, half)) >> byte_middle_bits;
  to[2] = add_lower(near.weights[1][2], outer.y, add_lower(near.weights[0][2], inner.y, half)) >> byte_middle_bits;
  to[3] = add_upper(near.weights[1][3], outer.y, add_upper(near.weights[0][3], inner.y, half)) >> byte_middle_bits;
}

/// Four bytes from old rows, which are a ring with the first row at `first`. Bits 8 to 15 of the sums are the level.
template <int words>
__device__ unsigned blend(const float (&rows)[2][words][4], int first, int word, const EnlargedBytes<2>::NewRow& row) {
  unsigned sum[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float above = rows[first][word][k];
    sum[k] = __float_as_uint(__fmaf_rd(rows[1 - first][word][k] - above, row.below, above));
  }
  return __byte_perm(__byte_perm(sum[0], sum[1], 0x0051), __byte_perm(sum[2], sum[3], 0x0051), 0x5410);
}

/// Two numbers truncated to bytes, and above them the lower bytes of `rest`.
__device__ inline unsigned cut_to_bytes(int first, int second, unsigned rest) {
  unsigned result;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(second), "r"(first), "r"(rest));
  return result;
}

template <int words>
__device__ unsigned blend(const int (&rows)[4][words][4], int first, int word, const EnlargedBytes<4>::NewRow& row) {
  constexpr int shift = 2 * byte_four_tap_bits - byte_middle_bits;
  constexpr int half = (1 << (shift - 1)) + (1 << (byte_four_tap_bits - 1));
  int level[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    level[k] = (rows[first][word][k] * row.weights.x + half + rows[(first + 1) % 4][word][k] * row.weights.y +
                rows[(first + 2) % 4][word][k] * row.weights.z + rows[(first + 3) % 4][word][k] * row.weights.w) >>
               shift;
  }
  return cut_to_bytes(level[0], level[1], cut_to_bytes(level[2], level[3], 0));
}

}  // namespace whorl::backend::cuda
