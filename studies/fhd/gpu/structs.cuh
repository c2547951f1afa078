// Step 6, an array of structs: the three coordinates of a position lie in one line of the constant cache instead of
// three, so warps at different samples need fewer lines. Usually planes are the better layout, because the threads of a
// warp read neighbors; here they all read the same sample.
#pragma once

#include "studies/fhd/gpu/constant_memory.cuh"

namespace whorl::studies::fhd::gpu {

/// Planes of positions as structs.
inline __global__ void gather_positions(Sums<float> s, float* positions) {
  const Index j = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (j >= s.samples) return;
  positions[3 * j] = s.kx[j];
  positions[3 * j + 1] = s.ky[j];
  positions[3 * j + 2] = s.kz[j];
}

inline __global__ void structs(Sums<float> s, Mu mu, int samples) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  const float x = s.x[i];
  const float y = s.y[i];
  const float z = s.z[i];
  float real = s.real[i];
  float imag = s.imag[i];
  for (int j = 0; j < samples; ++j) {
    const float angle = two_pi * (chunk[3 * j] * x + chunk[3 * j + 1] * y + chunk[3 * j + 2] * z);
    const float cosine = cosf(angle);
    const float sine = sinf(angle);
    real += mu.real[j] * cosine - mu.imag[j] * sine;
    imag += mu.imag[j] * cosine + mu.real[j] * sine;
  }
  s.real[i] = real;
  s.imag[i] = imag;
}

}  // namespace whorl::studies::fhd::gpu
