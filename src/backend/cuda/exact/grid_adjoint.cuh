// Adjoint exact transform of a grid, in half precision on the tensor cores: rows of the image from samples.
//
// The matrix of data times factors of rows is made in registers, where it is used. The matrix of the factors of pixels
// comes from a table. With two parts each number is the sum of two halves (22 bits), and a product takes three products
// of halves: the method of Markidis et al., NVIDIA tensor core programmability (2018). The tensor cores truncate when
// they add, which biases long sums, so these are continued outside: Ootomo and Yokota, Recovering single precision
// accuracy from tensor cores (2022).
#pragma once

#include "backend/cuda/exact/dft_tuning.hpp"
#include "backend/cuda/exact/grid_products.cuh"
#include "backend/cuda/exact/grid_tables_half.cuh"

namespace whorl::backend::cuda {

struct GridAdjoint {
  GridLayout grid;
  int padded;           ///< samples of the tables
  int stages_per_part;  ///< blockIdx.z is the part
  int batch;
  const float2* outer;   ///< [outer row][padded]
  const float2* inner;   ///< [inner row][padded]
  const float2* data;    ///< [batch][padded], times half_scale
  const uint4* columns;  ///< pixel_columns
  const unsigned* most;  ///< the argument of half_scale
  float scale;
  bool accumulate;  ///< add to the contents of the result
  float2* images;   ///< [part][batch][row][x]
};

template <int kParts>
struct AdjointStage {
  static constexpr int steps = tuning::adjoint_stage / 16;
  static constexpr int step_entries = 8 * kParts * 32;
  // Padded by eight pairs of floats, so that the rows that lanes read together lie in different banks.
  static constexpr int stride = tuning::adjoint_stage + 8;
  uint4 columns[steps][step_entries];
  float2 inner[8][stride];
  float2 outer[8][stride];
  float2 data[stride];
};

/// The source of a thread's copies: two samples of one row of each table, and its share of the columns.
template <int kParts>
class StageSource {
 public:
  using Stage = AdjointStage<kParts>;

  __device__ StageSource(const GridAdjoint& job, int o, int i, int panel, int b)
      : panels_(job.grid.pairs_padded / tuning::grid_pairs) {
    const int j = threadIdx.x % 32 * 2;
    inner_ = job.inner + Index{i + row()} * job.padded + j;
    outer_ = job.outer + Index{o + row()} * job.padded + j;
    data_ = job.data + Index{b} * job.padded + j;
    columns_ = job.columns + panel * Stage::step_entries + threadIdx.x;
  }

  __device__ void copy(int stage, Stage& to) const {
    const int j = threadIdx.x % 32 * 2;
    const int first = stage * tuning::adjoint_stage;
    copy_16_bytes(&to.inner[row()][j], inner_ + first);
    copy_16_bytes(&to.outer[row()][j], outer_ + first);
    if (row() == 0) copy_16_bytes(&to.data[j], data_ + first);
    const uint4* from = columns_ + Index{stage} * Stage::steps * panels_ * Stage::step_entries;
#pragma unroll
    for (int step = 0; step < Stage::steps; ++step) {
#pragma unroll
      for (int at = 0; at < Stage::step_entries; at += tuning::grid_threads) {
        copy_16_bytes(&to.columns[step][at + threadIdx.x], from + at);
      }
      from += panels_ * Stage::step_entries;
    }
  }

 private:
  static_assert(tuning::adjoint_stage == 64 && tuning::grid_threads == 256, "a warp copies a row");
  static __device__ int row() { return threadIdx.x / 32; }

  int panels_;
  const float2* inner_;
  const float2* outer_;
  const float2* data_;
  const uint4* columns_;
};

/// Two outer rows of the matrix of a warp for 16 samples.
template <int kParts>
struct DataRows {
  uint32_t parts[kParts][2][4];
};

/// Four numbers of a table, for the samples j, j + 1, j + 8 and j + 9.
__device__ inline void read_four(const float2* from, float2 (&to)[4]) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const float4 both = *reinterpret_cast<const float4*>(from + 8 * half);
    to[2 * half] = {both.x, both.y};
    to[2 * half + 1] = {both.z, both.w};
  }
}

template <int kParts>
__device__ inline DataRows<kParts> make_rows(const AdjointStage<kParts>& stage, int step, int warp_row) {
  const int lane = threadIdx.x % 32;
  const int j = step * 16 + lane % 4 * 2;
  float2 data[4], inner[4];
  read_four(&stage.data[j], data);
  read_four(&stage.inner[lane / 4][j], inner);
#pragma unroll
  for (int n = 0; n < 4; ++n) inner[n] = multiply(inner[n], data[n]);
  DataRows<kParts> rows;
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    float2 outer[4];
    read_four(&stage.outer[2 * warp_row + m][j], outer);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float2 near = multiply(outer[2 * half], inner[2 * half]);
      const float2 far = multiply(outer[2 * half + 1], inner[2 * half + 1]);
      if constexpr (kParts == 2) {
        const SplitPair real = split_halves(near.x, far.x);
        const SplitPair imag = split_halves(near.y, far.y);
        rows.parts[0][m][2 * half] = real.high;
        rows.parts[0][m][2 * half + 1] = imag.high;
        rows.parts[1][m][2 * half] = real.low;
        rows.parts[1][m][2 * half + 1] = imag.low;
      } else {
        rows.parts[0][m][2 * half] = half_bits(__floats2half2_rn(near.x, far.x));
        rows.parts[0][m][2 * half + 1] = half_bits(__floats2half2_rn(near.y, far.y));
      }
    }
  }
  return rows;
}

/// Blocks [blocks of rows, batch times panels of columns, parts of the samples].
template <int kParts>
__global__ void __launch_bounds__(tuning::grid_threads, 3 - kParts) grid_adjoint(const GridAdjoint job) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const stages = reinterpret_cast<AdjointStage<kParts>*>(memory);
  const GridLayout& grid = job.grid;
  const int outer_blocks = grid.outer_padded / tuning::grid_outer;
  const int o = blockIdx.x % outer_blocks * tuning::grid_outer;
  const int i = blockIdx.x / outer_blocks * 8;
  const int panels = grid.pairs_padded / tuning::grid_pairs;
  const int panel = blockIdx.y % panels;
  const int b = blockIdx.y / panels;
  constexpr int step_half = AdjointStage<kParts>::step_entries / 2;
  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x / 32 % 4;
  const int warp_column = threadIdx.x / 128;

  const StageSource<kParts> source(job, o, i, panel, b);
  const int begin = blockIdx.z * job.stages_per_part;
  const int end = min(begin + job.stages_per_part, job.padded / tuning::adjoint_stage);
  for (int stage = begin; stage < begin + tuning::adjoint_stages - 1; ++stage) {
    if (stage < end) source.copy(stage, stages[stage - begin]);
    close_copy_group();
  }
  constexpr int chain = tuning::adjoint_chain / tuning::adjoint_stage;
  float sums[2][8][4] = {};
  float totals[2][8][4] = {};
  for (int stage = begin; stage < end; ++stage) {
    wait_for_copies<tuning::adjoint_stages - 2>();
    __syncthreads();
    const int next = stage + tuning::adjoint_stages - 1;
    if (next < end) source.copy(next, stages[(next - begin) % tuning::adjoint_stages]);
    close_copy_group();
    // The rows of the next step are made during the products of this one.
    constexpr int steps = AdjointStage<kParts>::steps;
    const AdjointStage<kParts>& now = stages[(stage - begin) % tuning::adjoint_stages];
    DataRows<kParts> rows = make_rows(now, 0, warp_row);
#pragma unroll
    for (int step = 0; step < steps; ++step) {
      const DataRows<kParts> next_rows = make_rows(now, step + 1 < steps ? step + 1 : step, warp_row);
      add_products<kParts, 32>(rows.parts, &now.columns[step][warp_column * step_half + lane], sums);
      rows = next_rows;
    }
    if (kParts == 2 && ((stage - begin) % chain == chain - 1 || stage + 1 == end)) {
#pragma unroll
      for (int m = 0; m < 2; ++m) {
#pragma unroll
        for (int n = 0; n < 8; ++n) {
#pragma unroll
          for (int c = 0; c < 4; ++c) {
            totals[m][n][c] += sums[m][n][c];
            sums[m][n][c] = 0;
          }
        }
      }
    }
  }

  const float scale = job.scale / half_scale(*job.most);
  float2* const image = job.images + (Index{blockIdx.z} * job.batch + b) * grid.rows * grid.nx;
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    const int row = grid.row(o + 2 * warp_row + m, i + lane / 4);
#pragma unroll
    for (int n = 0; n < 8; ++n) {
      const float(&c)[4] = kParts == 2 ? totals[m][n] : sums[m][n];
      const int pair = panel * tuning::grid_pairs + (warp_column * 8 + n) * 4 + lane % 4;
      write_pair<float>(grid, row, pair, {c[0], c[2]}, {c[1], c[3]}, scale, job.accumulate, image);
    }
  }
}

}  // namespace whorl::backend::cuda
