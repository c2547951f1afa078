// Step 4, registers: position and sums of the voxel are local variables, read before the loop and written after it. In
// the loop only the sample is read. The compiler may not do this by itself, because the sums might overlap the samples.
#pragma once

#include "studies/fhd/gpu/fission.cuh"

namespace whorl::studies::fhd::gpu {

inline __global__ void registers(Sums<float> s, Mu mu) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  const float x = s.x[i];
  const float y = s.y[i];
  const float z = s.z[i];
  float real = 0;
  float imag = 0;
  for (Index j = 0; j < s.samples; ++j) {
    const float angle = two_pi * (s.kx[j] * x + s.ky[j] * y + s.kz[j] * z);
    const float cosine = cosf(angle);
    const float sine = sinf(angle);
    real += mu.real[j] * cosine - mu.imag[j] * sine;
    imag += mu.imag[j] * cosine + mu.real[j] * sine;
  }
  s.real[i] = real;
  s.imag[i] = imag;
}

}  // namespace whorl::studies::fhd::gpu
