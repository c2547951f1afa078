// Coarse-grained: a block copies a run of samples to shared memory first.
//
// A sample is read from global memory once instead of by each of 64 threads. This paid when global memory had no cache.
// Today the 64 threads of a block read the same bytes from the first-level cache anyway.
#pragma once

#include "studies/gridding_2d/gpu/common.cuh"

namespace whorl::studies::gridding_2d {

/// Samples of a block.
inline constexpr int run_samples = 32;

inline __global__ void cached_samples(const Sample* samples, int count, float scale, Extents extents, float2* grid) {
  __shared__ Sample run[run_samples];
  const int first = static_cast<int>(blockIdx.x) * run_samples;
  const int here = min(run_samples, count - first);
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < here) run[thread] = samples[first + thread];
  __syncthreads();
  for (int j = 0; j < here; ++j) {
    const Sample& sample = run[j];
    const PointOfWindow at(thread, sample.x, sample.y);
    const float weight = exponential(scale, at);
    float2& point = grid[at.on(extents)];
    atomicAdd(&point.x, weight * sample.real);
    atomicAdd(&point.y, weight * sample.imag);
  }
}

}  // namespace whorl::studies::gridding_2d
