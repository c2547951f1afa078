// Step 3, loop interchange: one thread per voxel loops over all samples. No two threads write to the same voxel, so no
// addition is atomic. Position and sums of the voxel are still read from memory for every sample, and the sums written:
// fourteen accesses for about sixteen operations.
#pragma once

#include "studies/fhd/gpu/fission.cuh"

namespace whorl::studies::fhd::gpu {

inline __global__ void interchange(Sums<float> s, Mu mu) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  for (Index j = 0; j < s.samples; ++j) {
    const float angle = two_pi * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
    const float cosine = cosf(angle);
    const float sine = sinf(angle);
    s.real[i] += mu.real[j] * cosine - mu.imag[j] * sine;
    s.imag[i] += mu.imag[j] * cosine + mu.real[j] * sine;
  }
}

}  // namespace whorl::studies::fhd::gpu
