// The kernels of explicit steps in a plane, one point a thread; and one that stays in its tile for several steps.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::studies::heat {

/// Threads of a block along x and y.
inline constexpr int block_x = 32;
inline constexpr int block_y = 8;

// step: GPU, edge tests, double; edge tests, float
template <class Real>
__device__ Real stepped(Real here, Real left, Real right, Real above, Real below, Real rate) {
  return here + rate * (left + right + (above + below) - 4 * here);
}

/// Neighbors beyond an edge are those at the opposite edge: four tests in every thread.
template <class Real>
__global__ void edge_tests_kernel(const Real* u, Real* next, int n, Real rate) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= n || y >= n) return;
  const Index row = Index{y} * n;
  const Real left = x > 0 ? u[row + x - 1] : u[row + n - 1];
  const Real right = x < n - 1 ? u[row + x + 1] : u[row];
  const Real above = y > 0 ? u[row - n + x] : u[Index{n - 1} * n + x];
  const Real below = y < n - 1 ? u[row + n + x] : u[x];
  next[row + x] = stepped(u[row + x], left, right, above, below, rate);
}
// end of step

// step: neighbors by table
/// Neighbors come from a table: no test, but four more reads.
inline __global__ void index_table_kernel(const float* u, float* next, const int* before, const int* after, int n,
                                          float rate) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
  if (x >= n || y >= n) return;
  const Index row = Index{y} * n;
  next[row + x] = stepped(u[row + x], u[row + before[x]], u[row + after[x]], u[Index{before[y]} * n + x],
                          u[Index{after[y]} * n + x], rate);
}
// end of step

// step: a margin around the plane
/// Planes of n + 2 rows of n + 2 points: the margin holds the values beyond the edges. A thread with a point at an edge
/// also writes it into the margin at the opposite edge, for the next step.
inline __global__ void margin_kernel(const float* u, float* next, int n, float rate) {
  const int x = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) + 1;
  const int y = static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y) + 1;
  if (x > n || y > n) return;
  const int width = n + 2;
  const Index at = Index{y} * width + x;
  const float value = stepped(u[at], u[at - 1], u[at + 1], u[at - width], u[at + width], rate);
  next[at] = value;
  if (x == 1) next[at + n] = value;
  if (x == n) next[at - n] = value;
  if (y == 1) next[at + Index{n} * width] = value;
  if (y == n) next[at - Index{n} * width] = value;
}
// end of step

// step: tile in shared memory
/// A block reads its points and their neighbors into shared memory once: a point is read from there five times.
inline __global__ void shared_tile_kernel(const float* u, float* next, int n, float rate) {
  __shared__ float tile[block_y + 2][block_x + 2];
  const int left = static_cast<int>(blockIdx.x) * block_x - 1;
  const int top = static_cast<int>(blockIdx.y) * block_y - 1;
  const int tx = static_cast<int>(threadIdx.x);
  const int ty = static_cast<int>(threadIdx.y);
  for (int y = ty; y < block_y + 2; y += block_y) {
    for (int x = tx; x < block_x + 2; x += block_x) tile[y][x] = u[Index{(top + y + n) % n} * n + (left + x + n) % n];
  }
  __syncthreads();
  const int x = left + 1 + tx;
  const int y = top + 1 + ty;
  if (x >= n || y >= n) return;
  next[Index{y} * n + x] = stepped(tile[ty + 1][tx + 1], tile[ty + 1][tx], tile[ty + 1][tx + 2], tile[ty][tx + 1],
                                   tile[ty + 2][tx + 1], rate);
}
// end of step

// step: eight steps of a tile at once
/// A tile with a margin of one point per step, which shrinks by one at every side with each step: global memory is read
/// and written once for all steps. A thread has a column of the tile's points in registers. The neighbors above and
/// below are its own; those at the sides come from shared memory.
inline constexpr int most_at_once = 8;
inline constexpr int tile_x = 64;
inline constexpr int column = 8;
inline constexpr int tile_y = 64;
inline constexpr int columns_of_a_tile = tile_y / column;

inline __global__ void __launch_bounds__(tile_x* columns_of_a_tile)
    steps_of_a_tile_kernel(const float* u, float* next, int n, float rate, int steps) {
  __shared__ float tile[tile_y + 2][tile_x + 2];
  constexpr int inner_x = tile_x - 2 * most_at_once;
  constexpr int inner_y = tile_y - 2 * most_at_once;
  const int tx = static_cast<int>(threadIdx.x);
  const int first = static_cast<int>(threadIdx.y) * column;
  const int x = static_cast<int>(blockIdx.x) * inner_x - most_at_once + tx;
  const int top = static_cast<int>(blockIdx.y) * inner_y - most_at_once + first;
  // A tile may be larger than the torus: around it more than once.
  const int source_x = (x % n + n) % n;
  float mine[column];
#pragma unroll
  for (int i = 0; i < column; ++i) mine[i] = u[Index{((top + i) % n + n) % n} * n + source_x];
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int i = 0; i < column; ++i) tile[first + i + 1][tx + 1] = mine[i];
    __syncthreads();
    // Points of the tile's rim have neighbors that nobody has written: what comes of them is not used.
    float above = tile[first][tx + 1];
#pragma unroll
    for (int i = 0; i < column; ++i) {
      const float here = mine[i];
      const float below = i + 1 < column ? mine[i + 1] : tile[first + column + 1][tx + 1];
      mine[i] = stepped(here, tile[first + i + 1][tx], tile[first + i + 1][tx + 2], above, below, rate);
      above = here;
    }
    __syncthreads();
  }
  if (tx < most_at_once || tx >= tile_x - most_at_once || x >= n) return;
#pragma unroll
  for (int i = 0; i < column; ++i) {
    const bool inner = first + i >= most_at_once && first + i < tile_y - most_at_once;
    if (inner && top + i < n) next[Index{top + i} * n + x] = mine[i];
  }
}
// end of step

}  // namespace whorl::studies::heat
