// Bilinear resizing of bytes, with no fewer columns than before: a thread goes down four bytes of each of some parts of
// a row, and holds the two old rows that new rows lie between, with their new columns.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "kernels/filter/resize.hpp"

namespace whorl::backend::cuda {

inline constexpr int enlarge_threads = 256;
inline constexpr int enlarge_words = 2;  // of a thread in a row
inline constexpr Index enlarge_bytes_across = Index{enlarge_threads} * enlarge_words * 4;
inline constexpr int most_enlarge_rows = 128;

struct EnlargeJob {
  kernels::ResizeJob size;
  kernels::ResizeTaps<std::uint8_t> rows, columns;
  int strip_rows;
  bool words;  // rows of the result are whole words
};

/// Four bytes of each row: their left neighbors lie within seven bytes of an old row, those to the right a pixel
/// further.
struct NearBytes {
  Index base = 0;              // of the first of them, in the row
  unsigned pairs[2] = {0, 0};  // selectors of two neighbors of two bytes each
  unsigned weights[4] = {0, 0, 0, 0};
};

__device__ inline NearBytes near_bytes(const EnlargeJob& job, Index begin) {
  const int channels = job.size.channels;
  Index left[4];
  NearBytes near;
  Index x = begin / channels;
  auto channel = static_cast<int>(begin - x * channels);
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
  near.base = min(min(left[0], left[1]), min(left[2], left[3]));
#pragma unroll
  for (int k = 0; k < 4; ++k) {
    const auto at = static_cast<unsigned>(left[k] - near.base);
    near.pairs[k / 2] |= (at | (at + channels) << 4) << (8 * (k % 2));
  }
  return near;
}

/// The words of one old row that its bytes lie in, which may reach so far beyond its end.
inline constexpr Index most_bytes_on = 12;
struct NearWords {
  unsigned a, b, c, shift;
};

__device__ inline NearWords load_words(const NearBytes& near, const std::uint8_t* row) {
  const auto at = reinterpret_cast<std::uintptr_t>(row + near.base);
  const auto* word = reinterpret_cast<const unsigned*>(at & ~std::uintptr_t{3});
  // Of the shift funnel shifts take what is left of words.
  return {__ldg(word), __ldg(word + 1), __ldg(word + 2), static_cast<unsigned>(at) * 8};
}

/// The same where the image may end: no word after its last is read.
__device__ inline NearWords load_last_words(const NearBytes& near, const std::uint8_t* row, const std::uint8_t* end) {
  const auto at = reinterpret_cast<std::uintptr_t>(row + near.base);
  const auto* word = reinterpret_cast<const unsigned*>(at & ~std::uintptr_t{3});
  const auto* last = reinterpret_cast<const unsigned*>(reinterpret_cast<std::uintptr_t>(end - 1) & ~std::uintptr_t{3});
  return {__ldg(word), __ldg(word + 1 < last ? word + 1 : last), __ldg(word + 2 < last ? word + 2 : last),
          static_cast<unsigned>(at) * 8};
}

/// The bytes with their new columns, as kernels::resize_middle leaves them.
__device__ inline void stretch(const NearBytes& near, const NearWords& words, unsigned (&to)[4]) {
  constexpr unsigned half = 1U << (kernels::ResizeNumbers<std::uint8_t>::first_shift - 1);
  const unsigned low = __funnelshift_r(words.a, words.b, words.shift);
  const unsigned high = __funnelshift_r(words.b, words.c, words.shift);
  const unsigned first = __byte_perm(low, high, near.pairs[0]);
  const unsigned second = __byte_perm(low, high, near.pairs[1]);
  constexpr int less = kernels::ResizeNumbers<std::uint8_t>::first_shift;
  to[0] = __dp2a_lo(near.weights[0], first, half) >> less;
  to[1] = __dp2a_hi(near.weights[1], first, half) >> less;
  to[2] = __dp2a_lo(near.weights[2], second, half) >> less;
  to[3] = __dp2a_hi(near.weights[3], second, half) >> less;
}

/// Four bytes between two old rows. The sums of kernels::resize_result times four have the level as their highest byte.
__device__ inline unsigned between_rows(const unsigned (&above)[4], const unsigned (&below)[4], unsigned down) {
  constexpr int bits = kernels::two_tap_bits;
  constexpr int shift = 2 * bits - kernels::ResizeNumbers<std::uint8_t>::first_shift;
  constexpr unsigned half = ((1U << (shift - 1)) + (1U << (bits - 1))) * 4;
  const unsigned up = (4U << bits) - down;
  unsigned sum[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) sum[k] = above[k] * up + (below[k] * down + half);
  return __byte_perm(__byte_perm(sum[0], sum[1], 0x0073), __byte_perm(sum[2], sum[3], 0x0073), 0x5410);
}

__global__ void __launch_bounds__(enlarge_threads)
    enlarge_bytes_kernel(const __grid_constant__ EnlargeJob job, const std::uint8_t* __restrict__ from,
                         std::uint8_t* __restrict__ to) {
  // Of each new row the old row above it, and the weight of the one below, times four.
  __shared__ int2 down[most_enlarge_rows];
  const kernels::ResizeJob& size = job.size;
  const Index length = size.width * size.channels;
  const Index old_length = size.old_width * size.channels;
  const Index first_byte = blockIdx.x * enlarge_bytes_across + 4 * threadIdx.x;
  constexpr Index apart = enlarge_threads * 4;
  NearBytes near[enlarge_words];
#pragma unroll
  for (int w = 0; w < enlarge_words; ++w) near[w] = near_bytes(job, min(first_byte + w * apart, (length - 1) / 4 * 4));
  const std::uint8_t* const end = from + size.slices * size.old_height * old_length;
  bool is_own[enlarge_words];
#pragma unroll
  for (int w = 0; w < enlarge_words; ++w) is_own[w] = first_byte + w * apart < length;
  const Index strips = (size.height + job.strip_rows - 1) / job.strip_rows;
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const Index slice = strip / strips;
    const Index top = (strip - slice * strips) * job.strip_rows;
    const int rows = static_cast<int>(min(Index{job.strip_rows}, size.height - top));
    __syncthreads();
    for (int i = threadIdx.x; i < rows; i += enlarge_threads) {
      down[i] = make_int2(job.rows.first[top + i], 4 * job.rows.weights[2 * (top + i) + 1]);
    }
    __syncthreads();
    const std::uint8_t* const image = from + slice * size.old_height * old_length;
    const std::uint8_t* const last_row = image + (size.old_height - 1) * old_length;
    const std::uint8_t* next_row = image;
    unsigned above[enlarge_words][4];
    unsigned below[enlarge_words][4];
    NearWords next[enlarge_words];  // of the old row after those held, on their way while rows are made from these
    const auto load_next = [&] {
      if (next_row > last_row) return;
      if (next_row + old_length + most_bytes_on <= end) {
#pragma unroll
        for (int w = 0; w < enlarge_words; ++w) next[w] = load_words(near[w], next_row);
      } else {
#pragma unroll
        for (int w = 0; w < enlarge_words; ++w) next[w] = load_last_words(near[w], next_row, end);
      }
      next_row += old_length;
    };
    const auto take_next = [&] {
#pragma unroll
      for (int w = 0; w < enlarge_words; ++w) {
#pragma unroll
        for (int k = 0; k < 4; ++k) above[w][k] = below[w][k];
        stretch(near[w], next[w], below[w]);
      }
    };
    int held = -2;  // the upper of the two
    std::uint8_t* target = to + (slice * size.height + top) * length + first_byte;
#pragma unroll 1
    for (int y = 0; y < rows; ++y, target += length) {
      const int2 place = down[y];
      if (place.x != held) {
        if (place.x != held + 1) {
          next_row = image + place.x * old_length;
          load_next();
          take_next();
          load_next();
        }
        take_next();
        held = place.x;
        load_next();
      }
#pragma unroll
      for (int w = 0; w < enlarge_words; ++w) {
        const unsigned word = between_rows(above[w], below[w], static_cast<unsigned>(place.y));
        if (!is_own[w]) continue;
        if (job.words) {
          *reinterpret_cast<unsigned*>(target + w * apart) = word;
        } else {
#pragma unroll
          for (int k = 0; k < 4; ++k) {
            if (first_byte + w * apart + k < length) {
              target[w * apart + k] = static_cast<std::uint8_t>(word >> (8 * k));
            }
          }
        }
      }
    }
  }
}

}  // namespace whorl::backend::cuda
