// Fine-grained, input-driven, all in global memory: a block for each sample, a thread for each point of its window.
//
// Each of the 64 threads reads the sample from global memory, computes its value of the window, and adds the product to
// its point. Neighboring samples reach the same points at the same time, so every sum must be atomic.
#pragma once

#include "studies/gridding_2d/gpu/common.cuh"

namespace whorl::studies::gridding_2d {

inline __global__ void naive(const Sample* samples, float scale, Extents extents, float2* grid) {
  const Sample& sample = samples[blockIdx.x];
  const PointOfWindow at(static_cast<int>(threadIdx.x), sample.x, sample.y);
  const float weight = exponential(scale, at);
  float2& point = grid[at.on(extents)];
  atomicAdd(&point.x, weight * sample.real);
  atomicAdd(&point.y, weight * sample.imag);
}

}  // namespace whorl::studies::gridding_2d
