// Fine-grained, output-driven: a thread for each point of the grid, which searches all samples.
//
// Each point is written once and no sum is atomic. But each point tests 5000 samples, of which one in 4096 is in reach.
// The threads of a block share the loads, not the search.
#pragma once

#include "studies/gridding_2d/gpu/windows.cuh"

namespace whorl::studies::gridding_2d {

inline constexpr int search_threads = 256;

/// From a sample to the nearest of the point's images on the periodic axis.
inline __device__ float offset(int point, float place, int extent) {
  const auto whole = static_cast<float>(extent);
  const float d = static_cast<float>(point) - place;
  if (d < -whole / 2) return d + whole;
  return d >= whole / 2 ? d - whole : d;
}

inline __device__ bool within_reach(float d) { return d >= -width / 2 && d < width / 2; }

inline __global__ void search(const float4* samples, int count, Extents extents, float* real, float* imag) {
  __shared__ float4 some[search_threads];
  const auto thread = static_cast<int>(threadIdx.x);
  // The grid's points are a multiple of the threads: sectors of 1024 points make it up.
  const int point = static_cast<int>(blockIdx.x) * search_threads + thread;
  const int y = point / extents.x;
  const int x = point % extents.x;
  float2 sum{0, 0};
  for (int first = 0; first < count; first += search_threads) {
    const int here = min(search_threads, count - first);
    if (thread < here) some[thread] = samples[first + thread];
    __syncthreads();
    for (int j = 0; j < here; ++j) {
      const float4 sample = some[j];
      const float dx = offset(x, sample.x, extents.x);
      const float dy = offset(y, sample.y, extents.y);
      if (!within_reach(dx) || !within_reach(dy)) continue;
      const float weight = constant_table[entry_at(sqrtf(dx * dx + dy * dy))];
      sum.x += weight * sample.z;
      sum.y += weight * sample.w;
    }
    __syncthreads();
  }
  real[point] = sum.x;
  imag[point] = sum.y;
}

}  // namespace whorl::studies::gridding_2d
