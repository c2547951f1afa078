// Adjoint exact transform of a grid, in halves on the tensor cores: rows of the image from samples.
//
// The matrix of data times factors of rows is made in registers, where it is needed; that of the factors of pixels comes
// from a table. With two parts each number is the sum of two halves (22 bits) and three products make one: the method
// of Markidis et al., NVIDIA tensor core programmability (2018). The tensor cores cut off what they add, with a bias,
// so that long sums are continued outside: Ootomo and Yokota, Recovering single precision accuracy from tensor cores
// (2022).
#pragma once

#include "backend/cuda/device/grid_tables.cuh"
#include "backend/cuda/tuning/dft.hpp"

namespace whorl::backend::cuda {

struct GridAdjoint {
  GridLayout grid;
  int padded;             ///< samples of the tables
  int stages_per_part;    ///< blockIdx.z is the part
  int batch;
  const float2* outer;    ///< [outer row][padded]
  const float2* inner;    ///< [inner row][padded]
  const float2* data;     ///< [batch][padded], times half_scale
  const uint4* columns;   ///< pixel_columns
  const unsigned* most;   ///< what half_scale follows
  float scale;
  bool accumulate;        ///< add to what the result holds
  float2* images;         ///< [part][batch][row][x]
};

template <int kParts>
struct AdjointStage {
  static constexpr int steps = tuning::adjoint_stage / 16;
  // Eight more pairs of floats, so that the rows that lanes read together lie in other banks.
  static constexpr int stride = tuning::adjoint_stage + 8;
  uint4 columns[steps][8 * kParts][32];
  float2 inner[8][stride];
  float2 outer[tuning::grid_outer][stride];
  float2 data[stride];
};

template <int kParts>
__device__ inline void load_stage(const GridAdjoint& job, int stage, int o, int i, int panel, int b,
                                  AdjointStage<kParts>& to) {
  using Stage = AdjointStage<kParts>;
  constexpr int length = tuning::adjoint_stage;
  constexpr int per_step = 8 * kParts * 32;
  const int tid = threadIdx.x;
  const int panels = job.grid.pairs_padded / tuning::grid_pairs;
  for (int at = tid; at < Stage::steps * per_step; at += tuning::grid_threads) {
    const Index step = Index{stage} * Stage::steps + at / per_step;
    copy_16_bytes(&to.columns[0][0][0] + at, job.columns + (step * panels + panel) * per_step + at % per_step);
  }
  const int row = tid * 2 / length;
  const int j = tid * 2 % length;
  const Index sample = Index{stage} * length + j;
  if (row < 8) {
    copy_16_bytes(&to.inner[row][j], job.inner + Index{i + row} * job.padded + sample);
  } else if (row < 8 + tuning::grid_outer) {
    copy_16_bytes(&to.outer[row - 8][j], job.outer + Index{o + row - 8} * job.padded + sample);
  }
  if (tid < length / 2) copy_16_bytes(&to.data[2 * tid], job.data + Index{b} * job.padded + Index{stage} * length + 2 * tid);
}

/// Two neighboring numbers at once.
__device__ inline void read_two(const float2* from, float2 (&to)[4], int at) {
  const float4 both = *reinterpret_cast<const float4*>(from);
  to[at] = {both.x, both.y};
  to[at + 1] = {both.z, both.w};
}

/// What 16 samples of a stage add to the sums of a warp: two outer rows, 64 columns.
template <int kParts>
__device__ inline void add_samples(const AdjointStage<kParts>& stage, int step, int warp_row, int warp_column,
                                   float (&sums)[2][8][4]) {
  const int lane = threadIdx.x % 32;
  const int j = step * 16 + lane % 4 * 2;
  float2 data[4], inner[4];
  read_two(&stage.data[j], data, 0);
  read_two(&stage.data[j + 8], data, 2);
  read_two(&stage.inner[lane / 4][j], inner, 0);
  read_two(&stage.inner[lane / 4][j + 8], inner, 2);
#pragma unroll
  for (int n = 0; n < 4; ++n) inner[n] = multiply(inner[n], data[n]);
  uint32_t high[2][4], low[2][4];
#pragma unroll
  for (int m = 0; m < 2; ++m) {
    float2 outer[4];
    read_two(&stage.outer[2 * warp_row + m][j], outer, 0);
    read_two(&stage.outer[2 * warp_row + m][j + 8], outer, 2);
#pragma unroll
    for (int n = 0; n < 4; ++n) outer[n] = multiply(outer[n], inner[n]);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float2 near = outer[2 * half];
      const float2 far = outer[2 * half + 1];
      if constexpr (kParts == 2) {
        const SplitPair real = split_halves(near.x, far.x);
        const SplitPair imag = split_halves(near.y, far.y);
        high[m][2 * half] = real.high;
        high[m][2 * half + 1] = imag.high;
        low[m][2 * half] = real.low;
        low[m][2 * half + 1] = imag.low;
      } else {
        high[m][2 * half] = half_bits(__floats2half2_rn(near.x, far.x));
        high[m][2 * half + 1] = half_bits(__floats2half2_rn(near.y, far.y));
      }
    }
  }
  // Products of one kind for eight tiles in a row, so that none waits for the one before.
#pragma unroll
  for (int group = 0; group < 8; group += 4) {
    uint4 columns[2 * kParts];
#pragma unroll
    for (int n = 0; n < 2 * kParts; ++n) {
      columns[n] = stage.columns[step][(warp_column * 8 + group) * kParts / 2 + n][lane];
    }
    if constexpr (kParts == 2) {
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][group + n], low[m], columns[n].x, columns[n].y);
      }
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][group + n], high[m], columns[n].z, columns[n].w);
      }
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][group + n], high[m], columns[n].x, columns[n].y);
      }
    } else {
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][group + 2 * n], high[m], columns[n].x, columns[n].y);
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][group + 2 * n + 1], high[m], columns[n].z, columns[n].w);
      }
    }
  }
}

/// Cosine and sine sums of a pair in a row become two pixels.
template <class Real>
__device__ inline void write_pair(const GridLayout& grid, int row, int pair, Complex2<Real> cosine, Complex2<Real> sine,
                                  Real scale, bool accumulate, Complex2<Real>* image) {
  if (row < 0 || pair >= grid.pairs()) return;
  Complex2<Real>* const line = image + Index{row} * grid.nx;
  Complex2<Real> right{scale * (cosine.x - sine.y), scale * (cosine.y + sine.x)};
  Complex2<Real> left{scale * (cosine.x + sine.y), scale * (cosine.y - sine.x)};
  if (accumulate) {
    const Complex2<Real> before_right = line[grid.right(pair)];
    const Complex2<Real> before_left = line[grid.left(pair)];
    right = {right.x + before_right.x, right.y + before_right.y};
    left = {left.x + before_left.x, left.y + before_left.y};
  }
  line[grid.right(pair)] = right;
  line[grid.left(pair)] = left;
}

/// Blocks [blocks of rows, batch times panels of columns, parts of the samples].
template <int kParts>
__global__ void __launch_bounds__(tuning::grid_threads, 3 - kParts) grid_adjoint(const GridAdjoint job) {
  extern __shared__ __align__(16) unsigned char memory[];
  auto* const stages = reinterpret_cast<AdjointStage<kParts>*>(memory);
  constexpr int depth = tuning::adjoint_stages;
  const GridLayout& grid = job.grid;
  const int outer_blocks = grid.outer_padded / tuning::grid_outer;
  const int o = blockIdx.x % outer_blocks * tuning::grid_outer;
  const int i = blockIdx.x / outer_blocks * 8;
  const int panels = grid.pairs_padded / tuning::grid_pairs;
  const int panel = blockIdx.y % panels;
  const int b = blockIdx.y / panels;
  const int warp_row = threadIdx.x / 32 % 4;
  const int warp_column = threadIdx.x / 128;

  const int begin = blockIdx.z * job.stages_per_part;
  const int end = min(begin + job.stages_per_part, job.padded / tuning::adjoint_stage);
  for (int stage = begin; stage < begin + depth - 1; ++stage) {
    if (stage < end) load_stage(job, stage, o, i, panel, b, stages[stage - begin]);
    close_copy_group();
  }
  constexpr int chain = tuning::adjoint_chain / tuning::adjoint_stage;
  float sums[2][8][4] = {};
  float totals[2][8][4] = {};
  for (int stage = begin; stage < end; ++stage) {
    wait_for_copies<depth - 2>();
    __syncthreads();
    const int next = stage + depth - 1;
    if (next < end) load_stage(job, next, o, i, panel, b, stages[(next - begin) % depth]);
    close_copy_group();
#pragma unroll
    for (int step = 0; step < AdjointStage<kParts>::steps; ++step) {
      add_samples(stages[(stage - begin) % depth], step, warp_row, warp_column, sums);
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

  const int lane = threadIdx.x % 32;
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
