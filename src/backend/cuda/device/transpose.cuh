// Transposition of matrices through shared memory.
#pragma once

#include <algorithm>

#include "backend/cuda/launch.hpp"

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
  // Loops over the tiles of a column, whose number may exceed the height of a grid.
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
    const dim3 blocks = grid_of(divide_up(columns, transpose_edge), std::min(most, divide_up(rows, transpose_edge)),
                                std::min(most, planes - plane));
    launch(ctx, "transpose", transpose_kernel<T>, {blocks, dim3(transpose_edge, transpose_threads_y)}, rows, columns,
           from + plane * rows * columns, to + plane * rows * columns);
  }
}

}  // namespace whorl::backend::cuda
