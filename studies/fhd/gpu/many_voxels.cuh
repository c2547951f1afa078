// Step 10, several voxels per thread, a block apart: one load of a sample serves all of them. A term then costs only
// its arithmetic, and the special function units are the bottleneck.
#pragma once

#include "studies/fhd/gpu/structs.cuh"

namespace whorl::studies::fhd::gpu {

template <int kVoxels, int Unroll>
__global__ void many_voxels(Sums<float> s, Mu mu, int samples) {
  const Index first = blockIdx.x * Index{blockDim.x} * kVoxels + threadIdx.x;
  float x[kVoxels], y[kVoxels], z[kVoxels];
  float real[kVoxels], imag[kVoxels];
#pragma unroll
  for (int v = 0; v < kVoxels; ++v) {
    // Beyond the last voxel it repeats the last one and does not write it.
    const Index i = min(first + v * Index{blockDim.x}, s.voxels - 1);
    x[v] = s.x[i];
    y[v] = s.y[i];
    z[v] = s.z[i];
    real[v] = s.real[i];
    imag[v] = s.imag[i];
  }
#pragma unroll Unroll
  for (int j = 0; j < samples; ++j) {
    const float kx = two_pi * chunk[3 * j];
    const float ky = two_pi * chunk[3 * j + 1];
    const float kz = two_pi * chunk[3 * j + 2];
    const float mu_real = mu.real[j];
    const float mu_imag = mu.imag[j];
#pragma unroll
    for (int v = 0; v < kVoxels; ++v) {
      const float angle = kx * x[v] + ky * y[v] + kz * z[v];
      const float cosine = __cosf(angle);
      const float sine = __sinf(angle);
      real[v] += mu_real * cosine - mu_imag * sine;
      imag[v] += mu_imag * cosine + mu_real * sine;
    }
  }
#pragma unroll
  for (int v = 0; v < kVoxels; ++v) {
    const Index i = first + v * Index{blockDim.x};
    if (i >= s.voxels) break;
    s.real[i] = real[v];
    s.imag[i] = imag[v];
  }
}

}  // namespace whorl::studies::fhd::gpu
