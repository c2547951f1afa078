// Several samples per iteration as before, but from global memory: the report expected four of them to be faster than its
// tiles in constant memory. One launch takes all samples, and Q is written once. The first GPUs, for which that ladder was
// made, had no cache for global memory.
#pragma once

#include "studies/mri_q/gpu/problem.cuh"

namespace whorl::studies::mri_q {

template <int Together>
__global__ void from_global_memory_q(GpuSums in) {
  const Index i = thread_number();
  if (i >= in.voxels) return;
  const float x = in.x[i];
  const float y = in.y[i];
  const float z = in.z[i];
  float real = 0;
  float imag = 0;
  const auto add = [&](const Sample& sample) {
    const float angle = two_pi * (sample.kx * x + sample.ky * y + sample.kz * z);
    real += sample.phi * cosf(angle);
    imag += sample.phi * sinf(angle);
  };
  int j = 0;
#pragma unroll 1
  for (; j + Together <= in.sample_count; j += Together) {
#pragma unroll
    for (int n = 0; n < Together; ++n) add(in.samples[j + n]);
  }
#pragma unroll 1
  for (; j < in.sample_count; ++j) add(in.samples[j]);
  in.real[i] = real;
  in.imag[i] = imag;
}

}  // namespace whorl::studies::mri_q
