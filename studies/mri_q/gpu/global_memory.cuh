// The first step: a thread for each voxel, and every operand in global memory. A term of the sum reads the sample, the
// place of the voxel and its Q, and writes Q back: nine accesses for some dozen operations.
#pragma once

#include "studies/mri_q/gpu/problem.cuh"

namespace whorl::studies::mri_q {

inline __global__ void global_memory_q(GpuSums in) {
  const Index i = thread_number();
  if (i >= in.voxels) return;
  in.real[i] = 0;
  in.imag[i] = 0;
  for (int j = 0; j < in.sample_count; ++j) {
    const float angle = two_pi * (in.samples[j].kx * in.x[i] + in.samples[j].ky * in.y[i] + in.samples[j].kz * in.z[i]);
    in.real[i] += in.samples[j].phi * cosf(angle);
    in.imag[i] += in.samples[j].phi * sinf(angle);
  }
}

}  // namespace whorl::studies::mri_q
