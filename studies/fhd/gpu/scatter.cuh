// Step 1, scatter: the loop over samples of the first CPU version becomes threads. Each thread adds the contribution of
// its sample to every voxel. All threads write to all voxels, and at about the same time to the same one, so each
// addition must be atomic.
#pragma once

#include "studies/fhd/problem.hpp"

namespace whorl::studies::fhd::gpu {

inline constexpr float two_pi = 6.283185307179586F;

inline __global__ void scatter(Sums<float> s) {
  const Index j = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (j >= s.samples) return;
  const float mu_real = s.phi_real[j] * s.d_real[j] + s.phi_imag[j] * s.d_imag[j];
  const float mu_imag = s.phi_real[j] * s.d_imag[j] - s.phi_imag[j] * s.d_real[j];
  for (Index i = 0; i < s.voxels; ++i) {
    const float angle = two_pi * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
    const float cosine = cosf(angle);
    const float sine = sinf(angle);
    atomicAdd(&s.real[i], mu_real * cosine - mu_imag * sine);
    atomicAdd(&s.imag[i], mu_imag * cosine + mu_real * sine);
  }
}

}  // namespace whorl::studies::fhd::gpu
