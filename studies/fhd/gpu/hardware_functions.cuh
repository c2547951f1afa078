// Step 7, the hardware's sine and cosine: the special function units compute either in one instruction. The error is
// about 5e-7 for angles near 0 and grows with the angle, which is reduced to one turn in single precision. The SNR
// shows whether that is good enough for an image.
#pragma once

#include "studies/fhd/gpu/structs.cuh"

namespace whorl::studies::fhd::gpu {

inline __global__ void hardware_functions(Sums<float> s, Mu mu, int samples) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= s.voxels) return;
  const float x = s.x[i];
  const float y = s.y[i];
  const float z = s.z[i];
  float real = s.real[i];
  float imag = s.imag[i];
#pragma unroll 1  // the next step unrolls it
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
