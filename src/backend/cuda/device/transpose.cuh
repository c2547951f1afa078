// Matrices turned over through shared memory.
#pragma once

#include <algorithm>

#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

inline constexpr int transpose_edge = 32;
inline constexpr int transpose_threads_y = 8;

template <class T>
__global__ void transpose_kernel(Index rows, Index columns, const T* __restrict__ from, T* __restrict__ to) {
  __shared__ T tile[transpose_edge][transpose_edge + 1];
  from += blockIdx.z * rows * columns;
  to += blockIdx.z * rows * columns;
  const Index left = blockIdx.x * Index{transpose_edge};
  const int x = static_cast<int>(threadIdx.x);
  // Tiles below each other: their number may be larger than a grid is high.
  for (Index top = blockIdx.y * Index{transpose_edge}; top < rows; top += Index{gridDim.y} * transpose_edge) {
    for (int y = static_cast<int>(threadIdx.y); y < transpose_edge; y += transpose_threads_y) {
      if (top + y < rows && left + x < columns) tile[y][x] = from[(top + y) * columns + left + x];
    }
    __syncthreads();
    for (int y = static_cast<int>(threadIdx.y); y < transpose_edge; y += transpose_threads_y) {
      if (left + y < columns && top + x < rows) to[(left + y) * rows + top + x] = tile[x][y];
    }
    __syncthreads();
  }
}

/// to[plane][column][row] = from[plane][row][column]
template <class T>
void transpose(const Context& ctx, Index planes, Index rows, Index columns, const T* from, T* to) {
  constexpr Index most = 65535;
  for (Index plane = 0; plane < planes; plane += most) {
    const dim3 blocks(static_cast<unsigned>((columns + transpose_edge - 1) / transpose_edge),
                      static_cast<unsigned>(std::min(most, (rows + transpose_edge - 1) / transpose_edge)),
                      static_cast<unsigned>(std::min(most, planes - plane)));
    transpose_kernel<<<blocks, dim3(transpose_edge, transpose_threads_y), 0, stream_of(ctx)>>>(
        rows, columns, from + plane * rows * columns, to + plane * rows * columns);
    check_launch("transpose");
  }
}

}  // namespace whorl::backend::cuda
