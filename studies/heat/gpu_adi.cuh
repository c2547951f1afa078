// The kernels of alternating directions that have one line a thread, and what turns rows into columns.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::studies::heat {

// step: GPU, one line a thread, double
/// One line a thread, with the divisions of the elimination. Points of a line are `apart` numbers from each other,
/// lines `beside`: where the lines lie side by side (1), the threads of a warp read neighbors, else each a line of its
/// own.
inline __global__ void divided_kernel(double* u, double* w, double* after, int n, Index apart, Index beside, double a) {
  const int line = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (line >= n) return;
  const Index first = line * beside;
  double d = 0;
  double below = 0;
  for (int i = 0; i < n; ++i) {
    const Index at = first + i * apart;
    const double pivot = 1 + 2 * a - a * below;
    below = a / pivot;
    d = (u[at] + a * d) / pivot;
    after[at] = below;
    w[at] = d;
  }
  double next = 0;
  for (int i = n - 1; i >= 0; --i) {
    const Index at = first + i * apart;
    next = w[at] + after[at] * next;
    u[at] = 2 * next - u[at];
  }
}
// end of step

// step: float, elimination once; rows turned over
/// A step along lines in float, with an elimination that was made once.
inline __global__ void eliminated_kernel(float* u, float* w, const float* scale, const float* after, int n, Index apart,
                                         Index beside, float a) {
  const int line = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (line >= n) return;
  const Index first = line * beside;
  float d = 0;
  for (int i = 0; i < n; ++i) {
    d = scale[i] * (u[first + i * apart] + a * d);
    w[first + i * apart] = d;
  }
  float next = 0;
  for (int i = n - 1; i >= 0; --i) {
    const Index at = first + i * apart;
    next = w[at] + after[i] * next;
    u[at] = 2 * next - u[at];
  }
}
// end of step

// step: rows turned over
inline constexpr int turn_size = 32;

/// Rows become columns, through a tile in shared memory, so that both are read and written along rows.
inline __global__ void turn_over_kernel(const float* from, float* to, int n) {
  __shared__ float tile[turn_size][turn_size + 1];
  const int x = static_cast<int>(blockIdx.x) * turn_size;
  const int y = static_cast<int>(blockIdx.y) * turn_size;
  const int tx = static_cast<int>(threadIdx.x);
  for (int ty = static_cast<int>(threadIdx.y); ty < turn_size; ty += static_cast<int>(blockDim.y)) {
    if (x + tx < n && y + ty < n) tile[ty][tx] = from[Index{y + ty} * n + x + tx];
  }
  __syncthreads();
  for (int ty = static_cast<int>(threadIdx.y); ty < turn_size; ty += static_cast<int>(blockDim.y)) {
    if (y + tx < n && x + ty < n) to[Index{x + ty} * n + y + tx] = tile[tx][ty];
  }
}
// end of step

}  // namespace whorl::studies::heat
