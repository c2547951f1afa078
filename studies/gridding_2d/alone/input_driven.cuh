// The first kernel, a block for each sample and a thread for each point of its window, with one thing changed by the
// template's arguments; and the same with a run of samples in shared memory.
#pragma once

#include "studies/gridding_2d/alone/parts.cuh"

namespace whorl::studies::gridding_2d::alone {

template <int Window, class Loads, class Weight, class Grid>
__global__ void one_sample_a_block(Loads samples, Weight weight, Extents extents, float* grid) {
  const Sample sample = samples[static_cast<int>(blockIdx.x)];
  const PointOf<Window> at(static_cast<int>(threadIdx.x), sample.x, sample.y);
  const float w = weight(at.dx, at.dy);
  Grid::add(grid, extents.y * extents.x, at.on(extents), w * sample.real, w * sample.imag);
}

/// Samples of a block.
inline constexpr int run_length = 32;

template <int Window>
__global__ void samples_in_shared_memory(const Sample* samples, int count, Exponential weight, Extents extents,
                                         float* grid) {
  __shared__ Sample run[run_length];
  const int first = static_cast<int>(blockIdx.x) * run_length;
  const int here = min(run_length, count - first);
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < here) run[thread] = samples[first + thread];
  __syncthreads();
  for (int j = 0; j < here; ++j) {
    const Sample& sample = run[j];
    const PointOf<Window> at(thread, sample.x, sample.y);
    const float w = weight(at.dx, at.dy);
    Interleaved::add(grid, 0, at.on(extents), w * sample.real, w * sample.imag);
  }
}

}  // namespace whorl::studies::gridding_2d::alone
