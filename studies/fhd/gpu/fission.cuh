// Step 2, loop fission: Mu has a kernel of its own, with one thread per sample; the threads share nothing. The rest is
// two nested loops with nothing between them, so either may be the outer one. As before, the atomic additions take the
// time.
#pragma once

#include "studies/fhd/gpu/scatter.cuh"

namespace whorl::studies::fhd::gpu {

/// Mu_j = conj(Phi_j) d_j, [sample].
struct Mu {
  const float* real;
  const float* imag;
};

inline __global__ void compute_mu(Sums<float> s, float* mu_real, float* mu_imag) {
  const Index j = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (j >= s.samples) return;
  mu_real[j] = s.phi_real[j] * s.d_real[j] + s.phi_imag[j] * s.d_imag[j];
  mu_imag[j] = s.phi_real[j] * s.d_imag[j] - s.phi_imag[j] * s.d_real[j];
}

inline __global__ void scatter_mu(Sums<float> s, Mu mu) {
  const Index j = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (j >= s.samples) return;
  for (Index i = 0; i < s.voxels; ++i) {
    const float angle = two_pi * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
    const float cosine = cosf(angle);
    const float sine = sinf(angle);
    atomicAdd(&s.real[i], mu.real[j] * cosine - mu.imag[j] * sine);
    atomicAdd(&s.imag[i], mu.imag[j] * cosine + mu.real[j] * sine);
  }
}

}  // namespace whorl::studies::fhd::gpu
