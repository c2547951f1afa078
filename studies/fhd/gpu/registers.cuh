// Step 4, registers: position and sums of the voxel live in variables of the thread, read before the loop and written
// after it. What is left for each sample is the sample. The compiler may not do this by itself: for all it knows, the
// sums lie where the samples do.
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
