// Several samples in each iteration: fewer tests and jumps for as many terms, and terms that do not wait for each
// other, so a thread has work while a sine is computed. The remaining samples are added one by one.
#pragma once

#include "studies/mri_q/gpu/constant_memory.cuh"

namespace whorl::studies::mri_q {

template <int Together>
__global__ void several_samples_q(GpuSums in, int count) {
  const Index i = thread_number();
  if (i >= in.voxels) return;
  const float x = in.x[i];
  const float y = in.y[i];
  const float z = in.z[i];
  float real = in.real[i];
  float imag = in.imag[i];
  const auto add = [&](const Sample& sample) {
    const float angle = two_pi * (sample.kx * x + sample.ky * y + sample.kz * z);
    real += sample.phi * cosf(angle);
    imag += sample.phi * sinf(angle);
  };
  int j = 0;
#pragma unroll 1
  for (; j + Together <= count; j += Together) {
#pragma unroll
    for (int n = 0; n < Together; ++n) add(tile[j + n]);
  }
#pragma unroll 1
  for (; j < count; ++j) add(tile[j]);
  in.real[i] = real;
  in.imag[i] = imag;
}

}  // namespace whorl::studies::mri_q
