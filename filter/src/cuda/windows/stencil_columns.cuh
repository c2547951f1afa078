// Stencils of up to 5 x 5 small weights on bytes, in registers. Four rows of a column of bytes make a word, and one
// instruction multiplies it by four weights. Neighbors are words in other registers or in the adjacent lanes, for any
// number of channels.
#pragma once

#include "filter/src/cuda/byte_strips.cuh"
#include "filter/src/cuda/windows/stencil_bytes.cuh"

namespace whorl::backend::cuda {

inline constexpr int columns_largest = 5;  // rows and columns of the kernel

struct ColumnsJob {
  ByteStrips strips;
  bool absolute;
  bool whole;  // sums are the results
  int start;   // start of sums: 0, or the bits of a float whose last bit stands for 1
  float scale, offset;
  /// Four rows of a column of the kernel, [result row][column][word], as shifted for the result row.
  int weights[step_rows][columns_largest][2];
};

/// The start of sums that become floats: 1.5 * 2^23; the sums are small compared with it.
inline constexpr int float_start = 0x4b400000;

/// Result rows that see the same words of four rows.
template <int size>
inline constexpr int rows_of_words = size == 3 ? 2 : 4;

__device__ inline unsigned pack_saturated(int first, int second, unsigned rest) {
  unsigned result;
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(result) : "r"(second), "r"(first), "r"(rest));
  return result;
}

/// A lane's results of a row.
template <bool whole, bool absolute>
__device__ __forceinline__ uint4 finished_as(const ColumnsJob& job, const int (&sums)[lane_bytes]) {
  int levels[lane_bytes];
#pragma unroll
  for (int j = 0; j < lane_bytes; ++j) {
    if constexpr (whole) {
      levels[j] = absolute ? abs(sums[j]) : sums[j];
    } else {
      // Sums and results are far below 2^22: added to the start, floats hold the sums exactly, and results are rounded
      // down.
      const float sum = __int_as_float(sums[j]) - __int_as_float(float_start);
      const float value = fmaf(absolute ? fabsf(sum) : sum, job.scale, job.offset);
      levels[j] = __float_as_int(__fadd_rd(value, __int_as_float(float_start))) - float_start;
    }
  }
  const auto word = [&](int first) {
    return pack_saturated(levels[first], levels[first + 1], pack_saturated(levels[first + 2], levels[first + 3], 0));
  };
  return make_uint4(word(0), word(4), word(8), word(12));
}

/// Conditions that are the same for all results are tested once per row.
__device__ __forceinline__ uint4 finished_row(const ColumnsJob& job, const int (&sums)[lane_bytes]) {
  if (job.whole) return job.absolute ? finished_as<true, true>(job, sums) : finished_as<true, false>(job, sums);
  return job.absolute ? finished_as<false, true>(job, sums) : finished_as<false, false>(job, sums);
}

/// The columns of a lane and its neighbors' next to them.
template <int reach>
__device__ void take_near_columns(const uint4 (&rows)[step_rows], unsigned (&near)[lane_bytes + 2 * reach]) {
  unsigned own[lane_bytes];
  take_columns(rows, own);
#pragma unroll
  for (int i = 0; i < reach; ++i) {
    near[i] = __shfl_up_sync(whole_warp, own[lane_bytes - reach + i], 1);
    near[reach + lane_bytes + i] = __shfl_down_sync(whole_warp, own[i], 1);
  }
#pragma unroll
  for (int i = 0; i < lane_bytes; ++i) near[reach + i] = own[i];
}

template <int size, int C, class Ends>
__global__ void __launch_bounds__(strip_threads, 4)
    stencil_columns(const __grid_constant__ ColumnsJob job, const __grid_constant__ Ends ends,
                    const std::uint8_t* __restrict__ from, std::uint8_t* __restrict__ to) {
  constexpr int radius = size / 2;
  constexpr int reach = radius * C;
  constexpr int seen = lane_bytes + 2 * reach;
  constexpr int depth = size == 3 ? 1 : 2;
  __shared__ Edges edges;
  const ByteStrips& strips = job.strips;
  ends.prepare();
  find_edges<C>(strips, edges);
  const unsigned warp = blockIdx.x * strip_warps + threadIdx.x / 32;
  if (warp >= strips.slices * strips.strips * strips.across) return;
  const StripLane own(strips, warp, static_cast<int>(threadIdx.x % 32), from);

  unsigned window[2][seen];  // eight rows
  uint4 rows[step_rows];
  load_strip(strips, edges, own, own.first - radius, rows);
  load_through(ends, strips, own.first - radius, rows);
  order_edge(strips, edges, own.side, rows);
  take_near_columns<reach>(rows, window[0]);
  load_strip(strips, edges, own, own.first - radius + step_rows, rows);
#pragma unroll 1
  for (int y = own.first; y < own.last; y += step_rows) {
    load_through(ends, strips, y - radius + step_rows, rows);
    order_edge(strips, edges, own.side, rows);
    take_near_columns<reach>(rows, window[1]);
    if (y + step_rows < own.last) load_strip(strips, edges, own, y - radius + 2 * step_rows, rows);
#pragma unroll
    for (int r = 0; r < step_rows; ++r) {
      constexpr int half = step_rows / 2;
      if (size == 3 && r == half) {
        // The two middle rows of either word.
#pragma unroll
        for (int i = 0; i < seen; ++i) window[0][i] = __byte_perm(window[0][i], window[1][i], 0x5432);
      }
      int sums[lane_bytes];
#pragma unroll
      for (int n = 0; n < lane_bytes; ++n) {
        sums[n] = job.start;
#pragma unroll
        for (int k = 0; k < size; ++k) {
#pragma unroll
          for (int d = 0; d < depth; ++d) {
            sums[n] = dot_bytes(window[d][n + k * C], job.weights[r % rows_of_words<size>][k][d], sums[n]);
          }
        }
      }
      uint4 results = finished_row(job, sums);
      ends.store(results);
      if (own.is_making && y + r < own.last) {
        *reinterpret_cast<uint4*>(to + own.target + Index{y + r} * strips.groups * lane_bytes) = results;
      }
    }
#pragma unroll
    for (int i = 0; i < seen; ++i) window[0][i] = window[1][i];
  }
}

}  // namespace whorl::backend::cuda
