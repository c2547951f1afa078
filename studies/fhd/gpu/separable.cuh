// Step 11, separable: the sum is a product of complex matrices, lines (z, y) by samples times samples by x, from tables
// of phases (phase_tables.cuh): only four multiply-adds per term. A block has a tile of 64 x 64 voxels, its
// thread 4 x 4 of them in registers, and both factors come through shared memory, where each number serves many.
#pragma once

#include "studies/fhd/gpu/phase_tables.cuh"

namespace whorl::studies::fhd::gpu {

inline constexpr int separable_threads = 256;

inline __global__ void __launch_bounds__(separable_threads) separable(PhaseTables tables, TiledSums sums) {
  constexpr int own = 4;
  __shared__ Factors factors;
  const int row = threadIdx.x / (tile / own) * own;
  const int column = threadIdx.x % (tile / own) * own;
  float real[own][own] = {};
  float imag[own][own] = {};
  for (int first = 0; first < tables.samples; first += depth) {
    fill_factors(tables, first, factors);
    __syncthreads();
#pragma unroll
    for (int d = 0; d < depth; ++d) {
      float a[own], b[own], cosine[own], sine[own];
#pragma unroll
      for (int i = 0; i < own; ++i) {
        a[i] = factors.line_real[d][row + i];
        b[i] = factors.line_imag[d][row + i];
        cosine[i] = factors.x_real[d][column + i];
        sine[i] = factors.x_imag[d][column + i];
      }
#pragma unroll
      for (int r = 0; r < own; ++r) {
#pragma unroll
        for (int c = 0; c < own; ++c) {
          real[r][c] += a[r] * cosine[c] - b[r] * sine[c];
          imag[r][c] += b[r] * cosine[c] + a[r] * sine[c];
        }
      }
    }
    __syncthreads();
  }
  for (int r = 0; r < own; ++r) {
    for (int c = 0; c < own; ++c) {
      const Index i = (Index{blockIdx.y} * tile + row + r) * tables.width + blockIdx.x * tile + column + c;
      sums.real[i] += real[r][c];
      sums.imag[i] += imag[r][c];
    }
  }
}

}  // namespace whorl::studies::fhd::gpu
