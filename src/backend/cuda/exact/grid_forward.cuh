// Forward exact transform of a grid, in half precision on the tensor cores: samples from rows of the image.
//
// The columns of factors of a block of samples stay in shared memory, and the rows of the image are loaded one after
// the other. Each product gives the sums along x, which are multiplied by the factors of the rows and added in
// registers.
#pragma once

#include "backend/cuda/exact/dft_tuning.hpp"
#include "backend/cuda/exact/grid_products.cuh"
#include "backend/cuda/exact/grid_tables_half.cuh"

namespace whorl::backend::cuda {

struct GridForward {
  GridLayout grid;
  int padded;          ///< samples of the tables
  int units_per_part;  ///< of ForwardBlock::outer_rows; blockIdx.z is the part
  int batch;
  const float2* outer;   ///< [outer row][padded]
  const float2* inner;   ///< [inner row][padded]
  const uint4* columns;  ///< sample_columns
  const uint4* images;   ///< image_rows
  const unsigned* most;  ///< the argument of half_scale
  double2* partial;      ///< [part][panel][row of warps][batch][padded]
};

inline constexpr int forward_steps = tuning::grid_pairs / 8;  ///< of 16 rows of the factors

/// The matrix rows of two outer rows for one step.
template <int kParts>
struct ImageRows {
  uint32_t parts[kParts][2][4];
};

template <int kParts>
__device__ inline ImageRows<kParts> load_rows(const uint4* at) {
  ImageRows<kParts> rows;
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int part = 0; part < kParts; ++part) {
      const uint4 four = __ldg(at + (m * forward_steps * kParts + part) * 32);
      rows.parts[part][m][0] = four.x;
      rows.parts[part][m][1] = four.y;
      rows.parts[part][m][2] = four.z;
      rows.parts[part][m][3] = four.w;
    }
  }
  return rows;
}

/// to += conj(factor of a row) from, for a thread's 16 samples of a row.
template <class From>
__device__ inline void add_row(const float2* factors, const From& from, float2 (&to)[8][2]) {
#pragma unroll
  for (int n = 0; n < 8; ++n) {
    const float4 e = __ldg(reinterpret_cast<const float4*>(factors + n * 8));
    to[n][0] = conjugate_multiply_add(float2{e.x, e.y}, from(n, 0), to[n][0]);
    to[n][1] = conjugate_multiply_add(float2{e.z, e.w}, from(n, 1), to[n][1]);
  }
}

/// The sizes of a block's work.
template <int kParts>
struct ForwardBlock {
  static constexpr int samples = 64 * tuning::forward_columns;
  static constexpr int warp_rows = tuning::grid_threads / 32 / tuning::forward_columns;
  static constexpr int outer_rows = 2 * warp_rows;  ///< of a unit
  static constexpr int entries = samples / 16 * kParts * forward_steps * 32;
};

/// Blocks [blocks of samples, batch times panels of pairs, parts of the rows].
template <int kParts>
__global__ void __launch_bounds__(tuning::grid_threads, 1) grid_forward(const GridForward job) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const columns = reinterpret_cast<uint4*>(memory);
  using Block = ForwardBlock<kParts>;
  const GridLayout& grid = job.grid;
  const int panels = grid.pairs_padded / tuning::grid_pairs;
  const int panel = blockIdx.y % panels;
  const int b = blockIdx.y / panels;
  const uint4* const source =
      job.columns + (Index{panel} * (job.padded / Block::samples) + blockIdx.x) * Block::entries;
  for (int at = threadIdx.x; at < Block::entries; at += tuning::grid_threads) copy_16_bytes(columns + at, source + at);
  close_copy_group();
  wait_for_copies<0>();
  __syncthreads();

  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x / 32 % Block::warp_rows;
  const int warp_column = threadIdx.x / 32 / Block::warp_rows;
  const int sample = blockIdx.x * Block::samples + warp_column * 64 + lane % 4 * 2;
  const uint4* const mine = columns + warp_column * 8 * kParts / 2 * forward_steps * 32 + lane;

  const int outer_units = grid.outer_padded / Block::outer_rows;
  const int inner_blocks = grid.inner_padded / 8;
  const int begin = blockIdx.z * job.units_per_part;
  const int end = min(begin + job.units_per_part, outer_units * inner_blocks);
  constexpr int step_entries = kParts * 32;
  constexpr int row_entries = forward_steps * step_entries;
  // Units are numbered along the outer rows, for one block of inner rows after the other.
  const uint4* rows =
      job.images +
      (Index{blockIdx.y} * inner_blocks * grid.outer_padded + Block::outer_rows * begin + 2 * warp_row) * row_entries +
      lane;
  float2 sums[8][2] = {};
  float2 block_sums[8][2] = {};
  ImageRows<kParts> now = load_rows<kParts>(rows);
  for (int unit = begin; unit < end; ++unit) {
    const uint4* const next_rows = unit + 1 < end ? rows + Block::outer_rows * row_entries : rows;
    float product[2][8][4] = {};
#pragma unroll
    for (int step = 0; step < forward_steps; ++step) {
      const ImageRows<kParts> next =
          load_rows<kParts>(step + 1 < forward_steps ? rows + (step + 1) * step_entries : next_rows);
      add_products<kParts, forward_steps * 32>(now.parts, mine + step * 32, product);
      now = next;
    }
    rows = next_rows;
    const int o = unit % outer_units * Block::outer_rows + 2 * warp_row;
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      add_row(
          job.outer + Index{o + m} * job.padded + sample,
          [&](int n, int c) {
            return float2{product[m][n][c], product[m][n][2 + c]};
          },
          block_sums);
    }
    if (unit % outer_units == outer_units - 1 || unit + 1 == end) {
      const int i = unit / outer_units * 8 + lane / 4;
      add_row(
          job.inner + Index{i} * job.padded + sample, [&](int n, int c) { return block_sums[n][c]; }, sums);
#pragma unroll
      for (int n = 0; n < 8; ++n) block_sums[n][0] = block_sums[n][1] = float2{};
    }
  }

  const double scale = 1 / static_cast<double>(half_scale(*job.most));
  const Index part = (Index{blockIdx.z} * panels + panel) * Block::warp_rows + warp_row;
  double2* const out = job.partial + (part * job.batch + b) * job.padded + sample;
#pragma unroll
  for (int n = 0; n < 8; ++n) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      float2 sum = sums[n][c];
      for (int other = 4; other < 32; other *= 2) {
        sum.x += __shfl_xor_sync(0xffffffff, sum.x, other);
        sum.y += __shfl_xor_sync(0xffffffff, sum.y, other);
      }
      if (lane < 4) out[n * 8 + c] = {scale * sum.x, scale * sum.y};
    }
  }
}

}  // namespace whorl::backend::cuda
