// Sine and cosine by the special function units: one instruction each, after one that takes the angle to their range,
// in place of some twenty and a branch for large angles. They are right to 2^-21 for angles within half a turn; beyond,
// the error grows with the angle.
#pragma once

#include "studies/mri_q/gpu/constant_memory.cuh"

namespace whorl::studies::mri_q {

inline __global__ void __launch_bounds__(1024) hardware_functions_q(GpuSums in, int count) {
  constexpr int together = 8;
  const Index i = thread_number();
  if (i >= in.voxels) return;
  const float x = in.x[i];
  const float y = in.y[i];
  const float z = in.z[i];
  float real = in.real[i];
  float imag = in.imag[i];
  const auto add = [&](const Sample& sample) {
    const float angle = two_pi * (sample.kx * x + sample.ky * y + sample.kz * z);
    real += sample.phi * __cosf(angle);
    imag += sample.phi * __sinf(angle);
  };
  int j = 0;
#pragma unroll 1
  for (; j + together <= count; j += together) {
#pragma unroll
    for (int n = 0; n < together; ++n) add(tile[j + n]);
  }
#pragma unroll 1
  for (; j < count; ++j) add(tile[j]);
  in.real[i] = real;
  in.imag[i] = imag;
}

}  // namespace whorl::studies::mri_q
