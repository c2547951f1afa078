// Samples from constant memory, a tile at a time: its cache hands one word to all threads of a warp at once, which is
// how these loops read. The memory holds 64 KB, so that the host replaces the tile between launches, each of which adds
// to Q in global memory. Early GPUs had no other cache; on those that cache global memory there is little left to gain.
#pragma once

#include "studies/mri_q/gpu/problem.cuh"

namespace whorl::studies::mri_q {

/// Parboil's tile: 16 KB.
inline constexpr int tile_samples = 1024;
static __constant__ Sample tile[tile_samples];

/// Adds the `count` samples of the tile to Q.
inline __global__ void constant_memory_q(GpuSums in, int count) {
  const Index i = thread_number();
  if (i >= in.voxels) return;
  const float x = in.x[i];
  const float y = in.y[i];
  const float z = in.z[i];
  float real = in.real[i];
  float imag = in.imag[i];
#pragma unroll 1
  for (int j = 0; j < count; ++j) {
    const float angle = two_pi * (tile[j].kx * x + tile[j].ky * y + tile[j].kz * z);
    real += tile[j].phi * cosf(angle);
    imag += tile[j].phi * sinf(angle);
  }
  in.real[i] = real;
  in.imag[i] = imag;
}

}  // namespace whorl::studies::mri_q
