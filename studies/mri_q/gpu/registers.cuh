// Positions and sums in registers, which are nearer than shared memory, and of which a thread has enough: only the samples are
// read from memory now, and all threads of a warp read the same one.
#pragma once

#include "studies/mri_q/gpu/problem.cuh"

namespace whorl::studies::mri_q {

inline __global__ void registers_q(GpuSums in) {
  const Index i = thread_number();
  if (i >= in.voxels) return;
  const float x = in.x[i];
  const float y = in.y[i];
  const float z = in.z[i];
  float real = 0;
  float imag = 0;
#pragma unroll 1
  for (int j = 0; j < in.sample_count; ++j) {
    const Sample sample = in.samples[j];
    const float angle = two_pi * (sample.kx * x + sample.ky * y + sample.kz * z);
    real += sample.phi * cosf(angle);
    imag += sample.phi * sinf(angle);
  }
  in.real[i] = real;
  in.imag[i] = imag;
}

}  // namespace whorl::studies::mri_q
