// Step 8, unrolling: `Unroll` samples per iteration of the loop. They share counter and branch, and independent
// operations may overlap. It takes more registers, so fewer threads fit on a multiprocessor.
//
// Step 9 is the same kernel with threads per block, samples per chunk and unrolling searched together.
#pragma once

#include "studies/fhd/gpu/structs.cuh"

namespace whorl::studies::fhd::gpu {

template <int Unroll>
__global__ void unrolled(Sums<float> s, Mu mu, int samples) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  const float x = s.x[i];
  const float y = s.y[i];
  const float z = s.z[i];
  float real = s.real[i];
  float imag = s.imag[i];
#pragma unroll Unroll
  for (int j = 0; j < samples; ++j) {
    const float angle = two_pi * (chunk[3 * j] * x + chunk[3 * j + 1] * y + chunk[3 * j + 2] * z);
    const float cosine = __cosf(angle);
    const float sine = __sinf(angle);
    real += mu.real[j] * cosine - mu.imag[j] * sine;
    imag += mu.imag[j] * cosine + mu.real[j] * sine;
  }
  s.real[i] = real;
  s.imag[i] = imag;
}

}  // namespace whorl::studies::fhd::gpu
