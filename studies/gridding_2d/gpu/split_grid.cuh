// Aligned samples, and real and imaginary parts in an array each.
//
// A sample on a 16-byte boundary takes one load instead of four. With the grid as two arrays of float, eight
// neighboring threads access 32 consecutive bytes, not every other word of 64. In shared memory this also keeps all
// banks busy.
#pragma once

#include "studies/gridding_2d/gpu/cached_samples.cuh"

namespace whorl::studies::gridding_2d {

inline __global__ void split_grid(const float4* samples, int count, float scale, Extents extents, float* real,
                                  float* imag) {
  __shared__ float4 run[run_samples];
  const int first = static_cast<int>(blockIdx.x) * run_samples;
  const int here = min(run_samples, count - first);
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < here) run[thread] = samples[first + thread];
  __syncthreads();
  for (int j = 0; j < here; ++j) {
    const float4 sample = run[j];
    const PointOfWindow at(thread, sample.x, sample.y);
    const float weight = exponential(scale, at);
    const int point = at.on(extents);
    atomicAdd(real + point, weight * sample.z);
    atomicAdd(imag + point, weight * sample.w);
  }
}

}  // namespace whorl::studies::gridding_2d
