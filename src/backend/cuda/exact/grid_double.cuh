// Exact transform of a grid in double, on the tensor cores for double. The data that the warps of a block share come
// through the first-level cache: products in double take long enough for that.
#pragma once

#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/exact/dft_tuning.hpp"
#include "backend/cuda/exact/grid_tables_double.cuh"

namespace whorl::backend::cuda {

inline constexpr int double_columns = 4;  ///< tiles of eight columns for each warp

struct GridAdjointDouble {
  GridLayout grid;
  int padded;
  int steps_per_part;  ///< of 4 samples; blockIdx.z is the part
  int batch;
  const double2* outer;   ///< [outer row][padded]
  const double2* inner;   ///< [inner row][padded]
  const double2* data;    ///< [batch][padded]
  const double* columns;  ///< pixel_columns
  double scale;
  bool accumulate;
  double2* images;  ///< [part][batch][row][x]
};

/// Blocks [blocks of 4 outer and 8 inner rows, batch times blocks of 32 pairs, parts of the samples].
static __global__ void __launch_bounds__(tuning::double_threads) grid_adjoint_double(const GridAdjointDouble job) {
  const GridLayout& grid = job.grid;
  const int lane = threadIdx.x % 32;
  const int outer_blocks = grid.outer_padded / 4;
  const int o = blockIdx.x % outer_blocks * 4 + threadIdx.x / 32 % 2 * 2;
  const int i = blockIdx.x / outer_blocks * 8 + lane / 4;
  const int pair_blocks = grid.pairs_padded / 32;
  const int b = blockIdx.y / pair_blocks;
  const int tile = blockIdx.y % pair_blocks * 8 + threadIdx.x / 64 * double_columns;
  const Index begin = Index{blockIdx.z} * job.steps_per_part;
  const Index end = min(begin + job.steps_per_part, Index{job.padded / 4});

  const double2* const data = job.data + Index{b} * job.padded + lane % 4;
  const double2* const inner = job.inner + Index{i} * job.padded + lane % 4;
  const double2* const outer = job.outer + Index{o} * job.padded + lane % 4;
  const double* const columns = job.columns + tile * 32 + lane;
  double sums[2][2][double_columns][2] = {};  // [outer][real, imaginary][tile][column]
#pragma unroll 2
  for (Index step = begin; step < end; ++step) {
    const double2 weight = multiply(data[step * 4], inner[step * 4]);
    double factors[double_columns];
#pragma unroll
    for (int n = 0; n < double_columns; ++n) factors[n] = columns[(step * (grid.pairs_padded / 4) + n) * 32];
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const double2 row = multiply(weight, outer[Index{m} * job.padded + step * 4]);
#pragma unroll
      for (int n = 0; n < double_columns; ++n) {
        multiply_add_tile(sums[m][0][n], row.x, factors[n]);
        multiply_add_tile(sums[m][1][n], row.y, factors[n]);
      }
    }
  }
  double2* const image = job.images + (Index{blockIdx.z} * job.batch + b) * grid.rows * grid.nx;
#pragma unroll
  for (int m = 0; m < 2; ++m) {
#pragma unroll
    for (int n = 0; n < double_columns; ++n) {
      const double(&real)[2] = sums[m][0][n];
      const double(&imag)[2] = sums[m][1][n];
      write_pair<double>(grid, grid.row(o + m, i), (tile + n) * 4 + lane % 4, {real[0], imag[0]}, {real[1], imag[1]},
                         job.scale, job.accumulate, image);
    }
  }
}

struct GridForwardDouble {
  GridLayout grid;
  int padded;
  int units_per_part;  ///< of 2 outer rows; blockIdx.z is the part
  int batch;
  const double2* outer;   ///< [outer row][padded]
  const double2* inner;   ///< [inner row][padded]
  const double* columns;  ///< sample_columns
  const double2* images;  ///< image_rows
  double2* partial;       ///< [part][batch][padded]
};

inline constexpr int double_samples = 32 * tuning::double_threads / 32;  ///< of a block of the forward transform

/// Blocks [blocks of samples, batch, parts of the rows].
static __global__ void __launch_bounds__(tuning::double_threads, tuning::double_blocks)
    grid_forward_double(const GridForwardDouble job) {
  const GridLayout& grid = job.grid;
  const int lane = threadIdx.x % 32;
  const int first = blockIdx.x * double_samples + threadIdx.x / 32 * 32;
  const int sample = first + lane % 4 * 2;
  const int steps = grid.pairs_padded / 2;
  const int outer_units = grid.outer_padded / 2;
  const int inner_blocks = grid.inner_padded / 8;
  const int begin = blockIdx.z * job.units_per_part;
  const int end = min(begin + job.units_per_part, outer_units * inner_blocks);
  const double* const columns = job.columns + Index{first / 8} * steps * 32 + lane;
  const double2* rows =
      job.images + (Index{blockIdx.y} * inner_blocks * grid.outer_padded + 2 * begin) * steps * 32 + lane;
  double2 sums[double_columns][2] = {};
  double2 block_sums[double_columns][2] = {};
  for (int unit = begin; unit < end; ++unit) {
    double product[2][2][double_columns][2] = {};
#pragma unroll 2
    for (int step = 0; step < steps; ++step) {
      double factors[double_columns];
#pragma unroll
      for (int n = 0; n < double_columns; ++n) factors[n] = columns[(n * steps + step) * 32];
#pragma unroll
      for (int m = 0; m < 2; ++m) {
        const double2 row = rows[(m * steps + step) * 32];
#pragma unroll
        for (int n = 0; n < double_columns; ++n) {
          multiply_add_tile(product[m][0][n], row.x, factors[n]);
          multiply_add_tile(product[m][1][n], row.y, factors[n]);
        }
      }
    }
    rows += 2 * steps * 32;
    const int o = unit % outer_units * 2;
#pragma unroll
    for (int m = 0; m < 2; ++m) {
      const double2* const factors = job.outer + Index{o + m} * job.padded + sample;
#pragma unroll
      for (int n = 0; n < double_columns; ++n) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          block_sums[n][c] = conjugate_multiply_add(
              factors[n * 8 + c], double2{product[m][0][n][c], product[m][1][n][c]}, block_sums[n][c]);
        }
      }
    }
    if (unit % outer_units == outer_units - 1 || unit + 1 == end) {
      const double2* const factors = job.inner + Index{unit / outer_units * 8 + lane / 4} * job.padded + sample;
#pragma unroll
      for (int n = 0; n < double_columns; ++n) {
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          sums[n][c] = conjugate_multiply_add(factors[n * 8 + c], block_sums[n][c], sums[n][c]);
          block_sums[n][c] = {};
        }
      }
    }
  }
  double2* const out = job.partial + (Index{blockIdx.z} * job.batch + blockIdx.y) * job.padded + sample;
#pragma unroll
  for (int n = 0; n < double_columns; ++n) {
#pragma unroll
    for (int c = 0; c < 2; ++c) {
      double2 sum = sums[n][c];
      for (int other = 4; other < 32; other *= 2) {
        sum.x += __shfl_xor_sync(0xffffffff, sum.x, other);
        sum.y += __shfl_xor_sync(0xffffffff, sum.y, other);
      }
      if (lane < 4) out[n * 8 + c] = sum;
    }
  }
}

}  // namespace whorl::backend::cuda
