// The window from a precomputed table in constant memory.
//
// A look-up replaces an exponential, but its distance needs a square root. On a current GPU both take a few
// instructions.
#pragma once

#include "studies/gridding_2d/gpu/cached_samples.cuh"
#include "studies/gridding_2d/gpu/windows.cuh"

namespace whorl::studies::gridding_2d {

inline __global__ void looked_up(const float4* samples, int count, Extents extents, float* real, float* imag) {
  __shared__ float4 run[run_samples];
  const int first = static_cast<int>(blockIdx.x) * run_samples;
  const int here = min(run_samples, count - first);
  const auto thread = static_cast<int>(threadIdx.x);
  if (thread < here) run[thread] = samples[first + thread];
  __syncthreads();
  for (int j = 0; j < here; ++j) {
    const float4 sample = run[j];
    const PointOfWindow at(thread, sample.x, sample.y);
    const float weight = constant_table[entry_at(distance(at))];
    const int point = at.on(extents);
    atomicAdd(real + point, weight * sample.z);
    atomicAdd(imag + point, weight * sample.w);
  }
}

/// Divides the work as the naive kernel does, with all the rest as here: one sample a block.
inline __global__ void looked_up_fine(const float4* samples, Extents extents, float* real, float* imag) {
  const float4 sample = samples[blockIdx.x];
  const PointOfWindow at(static_cast<int>(threadIdx.x), sample.x, sample.y);
  const float weight = constant_table[entry_at(distance(at))];
  const int point = at.on(extents);
  atomicAdd(real + point, weight * sample.z);
  atomicAdd(imag + point, weight * sample.w);
}

}  // namespace whorl::studies::gridding_2d
