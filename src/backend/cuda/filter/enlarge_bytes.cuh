// Bilinear resizing of bytes, with no fewer columns and rows than before: a warp goes down a part of the new rows, and
// its threads hold the two old rows that new rows lie between, with their new columns. They count in float, without any
// error: fused sums are rounded once, and down to the units that integers would be cut to.
#pragma once

#include "backend/cuda/filter/row_ring.cuh"
#include "kernels/filter/resize.hpp"

namespace whorl::backend::cuda {

inline constexpr int enlarge_threads = 128;
inline constexpr int enlarge_words = 4;  // of a thread in a row
inline constexpr int enlarge_warp_bytes = 32 * enlarge_words * 4;
inline constexpr Index enlarge_bytes_across = Index{enlarge_threads} * enlarge_words * 4;
inline constexpr int most_enlarge_rows = 128;

struct EnlargeJob {
  kernels::ResizeJob size;
  kernels::ResizeTaps<std::uint8_t> rows, columns;
  int strip_rows;
  Index length, old_length;  // of rows, in bytes
};

/// Four bytes of each row: their left neighbors lie within seven bytes of an old row, those to the right a pixel
/// further.
struct NearBytes {
  unsigned bits = 0;           // before those seven in what the warp reads
  unsigned word = 0;           // where the word begins that they begin in
  unsigned pairs[2] = {0, 0};  // selectors of two neighbors of two bytes each
  unsigned weights[4] = {0, 0, 0, 0};
};
inline constexpr int near_bytes_window = 8;

/// Of the bytes from `channel` of column x on. Where those seven begin.
__device__ inline Index near_bytes(const EnlargeJob& job, Index x, int channel, NearBytes& near) {
  const int channels = job.size.channels;
  Index left[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    left[k] = job.columns.first[x] * Index{channels} + channel;
    const auto second = static_cast<unsigned>(job.columns.weights[2 * x + 1]);
    near.weights[k] = ((1U << kernels::two_tap_bits) - second) | second << 16;
    const bool pixel_done = channel + 1 == channels;
    if (pixel_done && x + 1 == job.size.width) continue;  // bytes beyond the row are made as its last, and not stored
    channel = pixel_done ? 0 : channel + 1;
    x += pixel_done ? 1 : 0;
  }
  const Index base = min(min(left[0], left[1]), min(left[2], left[3]));
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const auto at = static_cast<unsigned>(left[k] - base);
    near.pairs[k / 2] |= (at | (at + channels) << 4) << (8 * (k % 2));
  }
  return base;
}

// Rows in between as floats: an integer above 2^23 has its last bit in that of a float.
inline constexpr int middle_bits = kernels::ResizeNumbers<std::uint8_t>::first_shift;
inline constexpr float integers_from = 8388608.0F;  // 2^23

/// The bytes with their new columns: a number m of kernels::resize_middle as 256 (m + 64.5) + 2^30, half a level and
/// half a unit more. Sums of numbers beyond 2^30 have units of 128, half of those of m.
__device__ inline void stretch(const NearBytes& near, const unsigned* words, float (&to)[4]) {
  constexpr unsigned half_level = 1U << (kernels::two_tap_bits - 1);
  constexpr unsigned bias = 0x4B000000U + half_level + (1U << (middle_bits - 1));  // 2^23, as a float
  constexpr float cut_from = 256 * integers_from;                                  // units of 2^middle_bits
  constexpr float halves_from = 128 * integers_from;
  const unsigned low = __funnelshift_r(words[0], words[1], near.bits);
  const unsigned high = __funnelshift_r(words[1], words[2], near.bits);
  const unsigned first = __byte_perm(low, high, near.pairs[0]);
  const unsigned second = __byte_perm(low, high, near.pairs[1]);
  const unsigned sums[4] = {__dp2a_lo(near.weights[0], first, bias), __dp2a_hi(near.weights[1], first, bias),
                            __dp2a_lo(near.weights[2], second, bias), __dp2a_hi(near.weights[3], second, bias)};
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const float cut = __fadd_rd(__uint_as_float(sums[k]), cut_from - integers_from);
    to[k] = __fadd_rn(cut, halves_from - cut_from + (1U << (middle_bits - 1)));
  }
}

/// Four bytes `down` of the way from one old row to the next. Of the sums bits 8 to 15 are the level.
__device__ inline unsigned between_rows(const float (&from)[4], const float (&step)[4], float down) {
  unsigned sum[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) sum[k] = __float_as_uint(__fmaf_rd(step[k], down, from[k]));
  return __byte_perm(__byte_perm(sum[0], sum[1], 0x0051), __byte_perm(sum[2], sum[3], 0x0051), 0x5410);
}

/// `words`: rows of the result are whole words, and no fewer than a warp makes.
template <bool words>
__global__ void __launch_bounds__(enlarge_threads)
    enlarge_bytes_kernel(const __grid_constant__ EnlargeJob job, const std::uint8_t* __restrict__ from,
                         std::uint8_t* __restrict__ to) {
  constexpr int warps = enlarge_threads / 32;
  __shared__ RingMemory memory[warps];
  // Of each new row the old row above it, from the strip's first on, and the weight of the one below.
  __shared__ int2 down[most_enlarge_rows + 1];
  const kernels::ResizeJob& size = job.size;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Index warp_byte = blockIdx.x * enlarge_bytes_across + warp * enlarge_warp_bytes;
  const bool idle = warp_byte >= job.length;
  // The last warp of a row makes some bytes of the one before once more.
  if (words) warp_byte = min(warp_byte, job.length - enlarge_warp_bytes);
  const Index first_byte = warp_byte + 4 * (static_cast<int>(threadIdx.x) % 32);
  constexpr int apart = 32 * 4;
  const auto own = static_cast<int>(min(job.length - first_byte, Index{enlarge_warp_bytes}));  // bytes from there on
  NearBytes near[enlarge_words];
  Index bases[enlarge_words];
  const Index last_word = (job.length - 1) / 4 * 4;  // others beyond it are made as this one, and not stored
  const Index from_byte = min(first_byte, last_word);
  const Index x = from_byte / size.channels;
  const auto channel = static_cast<unsigned>(from_byte - x * size.channels);
#pragma unroll
  for (int w = 0; w < enlarge_words; ++w) {
    const auto on = channel + static_cast<unsigned>(min(first_byte + w * apart, last_word) - from_byte);
    const auto channels = static_cast<unsigned>(size.channels);
    bases[w] = near_bytes(job, x + on / channels, static_cast<int>(on % channels), near[w]);
  }
  Index begin = bases[0];
  Index last = bases[0];
#pragma unroll
  for (int w = 1; w < enlarge_words; ++w) {
    begin = min(begin, bases[w]);
    last = max(last, bases[w]);
  }
  begin = warp_min(begin);
  last = -warp_min(-last);
#pragma unroll
  for (int w = 0; w < enlarge_words; ++w) {
    near[w].bits = 8 * static_cast<unsigned>(bases[w] - begin);
    near[w].word = near[w].bits / 32 * 4;
  }
  RowRing ring(memory[warp], {from, job.old_length, size.slices * size.old_height}, begin,
               static_cast<int>(last - begin) + near_bytes_window);
  unsigned beyond_words = 0;  // bytes before what the warp reads, in their word
  const auto take = [&](float(&row)[enlarge_words][4]) {
    const unsigned place = ring.take();
    if (place % 4 != beyond_words) {
#pragma unroll
      for (int w = 0; w < enlarge_words; ++w) {
        near[w].bits += 8 * (place % 4 - beyond_words);
        near[w].word = near[w].bits / 32 * 4;
      }
      beyond_words = place % 4;
    }
    const std::uint8_t* const old = reinterpret_cast<const std::uint8_t*>(memory[warp]) + place / 4 * 4;
#pragma unroll
    for (int w = 0; w < enlarge_words; ++w) {
      stretch(near[w], reinterpret_cast<const unsigned*>(old + near[w].word), row[w]);
    }
  };
  const Index strips = (size.height + job.strip_rows - 1) / job.strip_rows;
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const Index slice = strip / strips;
    const Index top = (strip - slice * strips) * job.strip_rows;
    const int rows = static_cast<int>(min(Index{job.strip_rows}, size.height - top));
    const int first_row = job.rows.first[top];
    const int old_rows = job.rows.first[top + rows - 1] - first_row + 2;
    __syncthreads();
    if (!idle) ring.start(slice * size.old_height + first_row, old_rows);
    for (int i = static_cast<int>(threadIdx.x); i <= rows; i += enlarge_threads) {
      constexpr float unit = 1.0F / (1U << kernels::two_tap_bits);
      down[i] = i < rows ? make_int2(job.rows.first[top + i] - first_row,
                                     __float_as_int(unit * static_cast<float>(job.rows.weights[2 * (top + i) + 1])))
                         : make_int2(old_rows, 0);
    }
    __syncthreads();
    if (idle) continue;
    std::uint8_t* target = to + (slice * size.height + top) * job.length + first_byte;
    const int2* row = down;
    int2 place = *row;
    // New rows between old row `above` and the next.
    const auto make_rows = [&](int above, const float(&held)[enlarge_words][4], const float(&next)[enlarge_words][4]) {
      float step[enlarge_words][4];
#pragma unroll
      for (int w = 0; w < enlarge_words; ++w) {
#pragma unroll
        for (int k = 0; k < 4; ++k) step[w][k] = next[w][k] - held[w][k];
      }
#pragma unroll 1
      for (; place.x == above; target += job.length) {
        const float weight = __int_as_float(place.y);
        place = *++row;
        unsigned made[enlarge_words];
#pragma unroll
        for (int w = 0; w < enlarge_words; ++w) made[w] = between_rows(held[w], step[w], weight);
#pragma unroll
        for (int w = 0; w < enlarge_words; ++w) {
          if constexpr (words) {
            *reinterpret_cast<unsigned*>(target + w * apart) = made[w];
          } else {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
              if (w * apart + k < own) target[w * apart + k] = static_cast<std::uint8_t>(made[w] >> (8 * k));
            }
          }
        }
      }
    };
    float held[2][enlarge_words][4];
#pragma unroll 1
    for (int taken = 0; taken < old_rows; taken += 2) {
      take(held[0]);
      make_rows(taken - 1, held[1], held[0]);
      if (taken + 1 == old_rows) break;
      take(held[1]);
      make_rows(taken, held[0], held[1]);
    }
  }
}

}  // namespace whorl::backend::cuda
