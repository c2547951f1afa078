// Products of matrices whose numbers are one half-precision number or the sum of two, for a warp with 32 rows and 64
// columns.
#pragma once

#include "backend/cuda/device/mma.cuh"

namespace whorl::backend::cuda {

/// sums[m][n] += rows[.][m] columns[n] for 16 terms. rows: high and low parts of two tiles; columns: eight tiles as
/// entries of half_entry (grid_tables_half.cuh), kStride entries apart. Small products come first. Eight independent
/// products of the same kind follow one another, so that none waits for the previous one.
template <int kParts, int kStride>
__device__ inline void add_products(const uint32_t (&rows)[kParts][2][4], const uint4* columns,
                                    float (&sums)[2][8][4]) {
  constexpr int group = 4;
  constexpr int tiles = 3 - kParts;  // of an entry
#pragma unroll
  for (int first = 0; first < 8; first += group) {
    uint4 c[group / tiles];
#pragma unroll
    for (int n = 0; n < group / tiles; ++n) c[n] = columns[(first / tiles + n) * kStride];
    if constexpr (kParts == 2) {
#pragma unroll
      for (int n = 0; n < group; ++n) {
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][first + n], rows[1][m], c[n].x, c[n].y);
      }
#pragma unroll
      for (int n = 0; n < group; ++n) {
        for (int m = 0; m < 2; ++m) multiply_add_tile(sums[m][first + n], rows[0][m], c[n].z, c[n].w);
      }
    }
#pragma unroll
    for (int n = 0; n < group; ++n) {
      const uint4& entry = c[n / tiles];
      const bool second = n % tiles == 1;
      for (int m = 0; m < 2; ++m) {
        multiply_add_tile(sums[m][first + n], rows[0][m], second ? entry.z : entry.x, second ? entry.w : entry.y);
      }
    }
  }
}

}  // namespace whorl::backend::cuda
