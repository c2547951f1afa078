// Separable windows of up to 9 x 9 over bytes, in registers. Along y one instruction makes two products, of two bytes
// of a column with two taps. The sums of a row stay in their lanes for the pass along x, which takes neighbors from the
// lanes beside. Taps along x are symmetric, and scaled so that results are the upper bytes of the sums.
#pragma once

#include "filter/src/cuda/byte_strips.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

inline constexpr int largest_small_radius = 4;

struct SmallWindow {
  ByteStrips strips;
  int shift;             // of sums along y
  unsigned column_half;  // and of their rounding
  unsigned row_half;     // of sums along x
  /// Pairs of taps of the column: beginning with the first tap, and beginning one earlier with 0.
  unsigned even[largest_small_radius + 1], odd[largest_small_radius + 1];
  unsigned row[largest_small_radius + 1];  // from the middle on
};

/// A row of numbers between the passes, from words of four rows of each column.
template <int R, int depth>
__device__ void sum_columns(const SmallWindow& job, const unsigned (&window)[depth][lane_bytes], int r,
                            unsigned (&sums)[lane_bytes]) {
#pragma unroll
  for (int n = 0; n < lane_bytes; ++n) {
    unsigned sum = job.column_half;
#pragma unroll
    for (int k = 0; k <= R; ++k) {
      const int row = r / 2 * 2 + 2 * k;
      const unsigned taps = r % 2 == 0 ? job.even[k] : job.odd[k];
      const unsigned rows = window[row / step_rows][n];
      sum = row % step_rows == 0 ? __dp2a_lo(taps, rows, sum) : __dp2a_hi(taps, rows, sum);
    }
    sums[n] = sum >> job.shift;
  }
}

/// A row of results from one of sums along y.
template <int R, int C>
__device__ uint4 sum_row(const SmallWindow& job, const unsigned (&sums)[lane_bytes]) {
  constexpr int reach = R * C;
  unsigned near[lane_bytes + 2 * reach];
#pragma unroll
  for (int i = 0; i < reach; ++i) near[i] = __shfl_up_sync(whole_warp, sums[lane_bytes - reach + i], 1);
#pragma unroll
  for (int i = 0; i < lane_bytes; ++i) near[reach + i] = sums[i];
#pragma unroll
  for (int i = 0; i < reach; ++i) near[reach + lane_bytes + i] = __shfl_down_sync(whole_warp, sums[i], 1);
  unsigned words[4];
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    unsigned level[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int middle = reach + 4 * w + j;
      level[j] = job.row[0] * near[middle] + job.row_half;
#pragma unroll
      for (int k = 1; k <= R; ++k) level[j] += job.row[k] * (near[middle - k * C] + near[middle + k * C]);
    }
    words[w] = __byte_perm(__byte_perm(level[0], level[1], 0x0073), __byte_perm(level[2], level[3], 0x0073), 0x5410);
  }
  return make_uint4(words[0], words[1], words[2], words[3]);
}

template <int R, int C, class Ends>
__global__ void __launch_bounds__(strip_threads, 4)
    small_window_kernel(const __grid_constant__ SmallWindow job, const __grid_constant__ Ends ends,
                        const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to) {
  constexpr int depth = divide_up(2 * R + step_rows, step_rows);
  __shared__ Edges edges;
  const ByteStrips& strips = job.strips;
  ends.prepare();
  find_edges<C>(strips, edges);
  const unsigned warp = blockIdx.x * strip_warps + threadIdx.x / 32;
  if (warp >= strips.slices * strips.strips * strips.across) return;
  const StripLane own(strips, warp, static_cast<int>(threadIdx.x % 32), from);

  unsigned window[depth][lane_bytes];
  uint4 rows[step_rows];
  load_strip(strips, edges, own, own.first - R, rows);
#pragma unroll
  for (int d = 0; d + 1 < depth; ++d) {
    load_through(ends, strips, own.first - R + d * step_rows, rows);
    order_edge(strips, edges, own.side, rows);
    take_columns(rows, window[d]);
    load_strip(strips, edges, own, own.first - R + (d + 1) * step_rows, rows);
  }
#pragma unroll 1
  for (int y = own.first; y < own.last; y += step_rows) {
    load_through(ends, strips, y - R + (depth - 1) * step_rows, rows);
    order_edge(strips, edges, own.side, rows);
    take_columns(rows, window[depth - 1]);
    if (y + step_rows < own.last) load_strip(strips, edges, own, y - R + depth * step_rows, rows);
#pragma unroll
    for (int r = 0; r < step_rows; ++r) {
      unsigned sums[lane_bytes];
      sum_columns<R>(job, window, r, sums);
      uint4 results = sum_row<R, C>(job, sums);
      ends.store(results);
      if (own.is_making && y + r < own.last) {
        *reinterpret_cast<uint4*>(to + own.target + Index{y + r} * strips.groups * lane_bytes) = results;
      }
    }
#pragma unroll
    for (int d = 0; d + 1 < depth; ++d) {
#pragma unroll
      for (int i = 0; i < lane_bytes; ++i) window[d][i] = window[d + 1][i];
    }
  }
}

}  // namespace whorl::backend::cuda
