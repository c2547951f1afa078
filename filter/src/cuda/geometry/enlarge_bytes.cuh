// Resizing of bytes with two or four taps, to at least as many columns and rows as before. A warp goes down a part of
// the new rows; its threads hold the old rows that a new row needs, already resized along x.
#pragma once

#include "filter/src/cuda/ends.cuh"
#include "filter/src/cuda/geometry/enlarge_taps.cuh"
#include "filter/src/cuda/geometry/row_ring.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

inline constexpr int enlarge_threads = 128;
inline constexpr int most_enlarge_rows = 256;
template <int taps>
inline constexpr int enlarge_warp_bytes = 32 * EnlargedBytes<taps>::words * 4;
template <int taps>
inline constexpr Index enlarge_bytes_across = Index{enlarge_threads} * EnlargedBytes<taps>::words * 4;

struct EnlargeJob {
  kernels::ResizeJob size;
  ByteTaps rows, columns;
  int strip_rows;
  Index length, old_length;  // of rows, in bytes
};

/// Stores the words of a warp, 4 bytes of lane 0, then of lane 1 and so on, to an address that is not aligned to words.
/// Each aligned word there consists of parts of the words of two lanes.
template <int count>
__device__ void store_between_words(const unsigned (&made)[count], std::uint8_t* to) {
  constexpr unsigned all = ~0U;
  constexpr int lane_last = 31;
  const int lane = static_cast<int>(threadIdx.x % 32);
  const auto beyond = static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 4);
  unsigned left = 0;  // for lane 0, what the last lane made of the word before
#pragma unroll
  for (int w = 0; w < count; ++w) {
    const unsigned neighbor = __shfl_sync(all, made[w], (lane + lane_last) % 32);
    const unsigned word = __funnelshift_l(lane == 0 ? left : neighbor, made[w], 8 * static_cast<unsigned>(beyond));
    left = neighbor;
    std::uint8_t* const at = to - beyond + w * 32 * 4;
    if (w > 0 || lane > 0) *reinterpret_cast<unsigned*>(at) = word;
  }
  if (lane == 0) {
    for (int k = 0; k < 4 - beyond; ++k) to[k] = static_cast<std::uint8_t>(made[0] >> (8 * k));
  } else if (lane == lane_last) {
    std::uint8_t* const at = to + (count - 1) * 32 * 4;
    for (int k = 4 - beyond; k < 4; ++k) at[k] = static_cast<std::uint8_t>(made[count - 1] >> (8 * k));
  }
}

/// `whole_words`: rows of the result are whole words, and no fewer than a warp makes.
template <int taps, bool whole_words, class Ends>
__global__ void __launch_bounds__(enlarge_threads)
    enlarge_bytes_kernel(const __grid_constant__ EnlargeJob job, const __grid_constant__ Ends ends,
                         const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to) {
  using Numbers = EnlargedBytes<taps>;
  using NewRow = typename Numbers::NewRow;
  constexpr int words = Numbers::words;
  __shared__ RingMemory memory[enlarge_threads / 32];
  __shared__ NewRow new_rows[most_enlarge_rows + 1];  // with old rows counted from the strip's first on
  ends.prepare();
  const kernels::ResizeJob& size = job.size;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  Index warp_byte = blockIdx.x * enlarge_bytes_across<taps> + warp * enlarge_warp_bytes<taps>;
  const bool idle = warp_byte >= job.length;
  // The last warp of a row repeats some bytes of the previous warp.
  const bool is_short = !whole_words && job.length < enlarge_warp_bytes<taps>;
  if (!is_short) warp_byte = min(warp_byte, job.length - enlarge_warp_bytes<taps>);
  const Index first_byte = warp_byte + 4 * (static_cast<int>(threadIdx.x) % 32);
  constexpr int apart = 32 * 4;
  const auto own = static_cast<int>(min(job.length - first_byte, Index{words * apart}));  // bytes from there on
  NearBytes<taps> near[words];
  Index bases[words];
  const Index last_word = (job.length - 1) / 4 * 4;  // words beyond it repeat it and are not stored
  const Index from_byte = min(first_byte, last_word);
  const Index x = from_byte / size.channels;
  const auto channel = static_cast<unsigned>(from_byte - x * size.channels);
#pragma unroll
  for (int w = 0; w < words; ++w) {
    const auto on = channel + static_cast<unsigned>(min(first_byte + w * apart, last_word) - from_byte);
    const auto channels = static_cast<unsigned>(size.channels);
    bases[w] =
        near_bytes(job.columns, size.width, size.channels, x + on / channels, static_cast<int>(on % channels), near[w]);
  }
  const auto [begin, last] = range_of_warp(bases);
#pragma unroll
  for (int w = 0; w < words; ++w) near[w].place(static_cast<unsigned>(bases[w] - begin), size.channels);
  RowRing ring(memory[warp], {from, job.old_length, size.slices * size.old_height}, begin,
               static_cast<int>(last - begin) + near_bytes_window<taps>(size.channels));
  unsigned beyond_words = 0;  // number of bytes in the first word before those that the warp reads
  const Index strips = divide_up(size.height, job.strip_rows);
  for (Index strip = blockIdx.y; strip < size.slices * strips; strip += gridDim.y) {
    const auto [slice, top, rows, first_row, old_rows] = row_strip<taps>(job, strip, strips);
    __syncthreads();
    if (!idle) ring.start(slice * size.old_height + first_row, old_rows);
    for (int i = static_cast<int>(threadIdx.x); i <= rows; i += enlarge_threads) {
      const Index y = top + min(i, rows - 1);
      new_rows[i] = Numbers::row(job.rows.weights + taps * y, i < rows ? job.rows.first[y] - first_row : old_rows);
    }
    __syncthreads();
    if (idle) continue;
    std::uint8_t* target = to + (slice * size.height + top) * job.length + first_byte;
    const NewRow* next = new_rows;
    NewRow row = *next;
    typename Numbers::Held held[taps][words][4];  // the last old rows, as a ring
#pragma unroll 1
    for (int taken = 0; taken < old_rows; taken += taps) {
#pragma unroll
      for (int phase = 0; phase < taps; ++phase) {
        if (taken + phase == old_rows) break;
        const unsigned place = ring.take();
        if (place % 4 != beyond_words) {
#pragma unroll
          for (int w = 0; w < words; ++w) near[w].move(place % 4 - beyond_words);
          beyond_words = place % 4;
        }
        const std::uint8_t* const old = reinterpret_cast<const std::uint8_t*>(memory[warp]) + place / 4 * 4;
#pragma unroll
        for (int w = 0; w < words; ++w) stretch(near[w], old, held[phase][w]);
#pragma unroll 1
        for (; row.above == taken + phase + 1 - taps; target += job.length) {
          unsigned made[words];
#pragma unroll
          for (int w = 0; w < words; ++w) made[w] = blend<words>(held, (phase + 1) % taps, w, row);
          ends.store(made);
          row = *++next;
          if (is_short) {
#pragma unroll
            for (int k = 0; k < words * 4; ++k) {
              const int at = k / 4 * apart + k % 4;
              if (at < own) target[at] = static_cast<std::uint8_t>(made[k / 4] >> (8 * (k % 4)));
            }
          } else if (whole_words || reinterpret_cast<std::uintptr_t>(target) % 4 == 0) {
#pragma unroll
            for (int w = 0; w < words; ++w) *reinterpret_cast<unsigned*>(target + w * apart) = made[w];
          } else {
            store_between_words(made, target);
          }
        }
      }
    }
  }
}

}  // namespace whorl::backend::cuda
