// The position and Q of a voxel move to shared memory on the chip; the step before reads and writes them in global
// memory for each sample. Every thread has its own elements, so none waits for another. They are volatile, because the
// compiler would otherwise put them into registers, which is the next step.
#pragma once

#include "studies/mri_q/gpu/problem.cuh"

namespace whorl::studies::mri_q {

/// Floats of shared memory for each thread.
inline constexpr int shared_floats = 5;

inline __global__ void shared_memory_q(GpuSums in) {
  extern __shared__ float memory[];
  const Index i = thread_number();
  if (i >= in.voxels) return;
  volatile float* const x = memory + threadIdx.x;
  volatile float* const y = x + blockDim.x;
  volatile float* const z = y + blockDim.x;
  volatile float* const real = z + blockDim.x;
  volatile float* const imag = real + blockDim.x;
  *x = in.x[i];
  *y = in.y[i];
  *z = in.z[i];
  *real = 0;
  *imag = 0;
  for (int j = 0; j < in.sample_count; ++j) {
    const float angle = two_pi * (in.samples[j].kx * *x + in.samples[j].ky * *y + in.samples[j].kz * *z);
    *real = *real + in.samples[j].phi * cosf(angle);
    *imag = *imag + in.samples[j].phi * sinf(angle);
  }
  in.real[i] = *real;
  in.imag[i] = *imag;
}

}  // namespace whorl::studies::mri_q
