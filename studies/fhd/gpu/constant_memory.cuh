// Step 5, constant memory: all threads of a warp need the same sample at the same time, and the cache of constant
// memory broadcasts one word to all of them. It holds 64 KB, so positions come in chunks, and the kernel is launched
// once per chunk; the sums stay in global memory in between.
#pragma once

#include "studies/fhd/gpu/launch.cuh"

namespace whorl::studies::fhd::gpu {

/// Positions of a chunk: this step has planes of k_x, k_y and k_z in it, the next ones structs.
static __constant__ float chunk[3 * most_chunk];

/// `mu` is that of the chunk's first sample.
inline __global__ void constant_memory(Sums<float> s, Mu mu, int samples) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  const float x = s.x[i];
  const float y = s.y[i];
  const float z = s.z[i];
  float real = s.real[i];
  float imag = s.imag[i];
  for (int j = 0; j < samples; ++j) {
    const float angle = two_pi * (chunk[j] * x + chunk[most_chunk + j] * y + chunk[2 * most_chunk + j] * z);
    const float cosine = cosf(angle);
    const float sine = sinf(angle);
    real += mu.real[j] * cosine - mu.imag[j] * sine;
    imag += mu.imag[j] * cosine + mu.real[j] * sine;
  }
  s.real[i] = real;
  s.imag[i] = imag;
}

}  // namespace whorl::studies::fhd::gpu
