// Several voxels per thread: one load of a sample serves all of them. The steps before wait for constant memory. Whole
// turns are removed before the special function units get the angle. That takes two more operations and makes them as
// accurate for any angle as for small ones.
#pragma once

#include "studies/mri_q/gpu/constant_memory.cuh"

namespace whorl::studies::mri_q {

/// The voxels of a thread lie a block apart, so that neighboring threads have neighboring voxels.
template <int Voxels>
__global__ void several_voxels_q(GpuSums in, int count) {
  const Index first = blockIdx.x * Index{blockDim.x} * Voxels + threadIdx.x;
  float x[Voxels], y[Voxels], z[Voxels], real[Voxels], imag[Voxels];
#pragma unroll
  for (int v = 0; v < Voxels; ++v) {
    const Index i = first + v * Index{blockDim.x};
    x[v] = y[v] = z[v] = real[v] = imag[v] = 0;
    if (i >= in.voxels) continue;
    x[v] = in.x[i];
    y[v] = in.y[i];
    z[v] = in.z[i];
    real[v] = in.real[i];
    imag[v] = in.imag[i];
  }
#pragma unroll 2
  for (int j = 0; j < count; ++j) {
    const Sample sample = tile[j];
#pragma unroll
    for (int v = 0; v < Voxels; ++v) {
      const float turns = sample.kx * x[v] + sample.ky * y[v] + sample.kz * z[v];
      const float angle = two_pi * (turns - rintf(turns));
      real[v] += sample.phi * __cosf(angle);
      imag[v] += sample.phi * __sinf(angle);
    }
  }
#pragma unroll
  for (int v = 0; v < Voxels; ++v) {
    const Index i = first + v * Index{blockDim.x};
    if (i >= in.voxels) break;
    in.real[i] = real[v];
    in.imag[i] = imag[v];
  }
}

}  // namespace whorl::studies::mri_q
