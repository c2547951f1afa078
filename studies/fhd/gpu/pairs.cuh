// After the fission, the first of the chapter's three options: a thread for each pair of a sample and a voxel. It is the most
// threads that there can be. Neighbors have the same sample and neighboring voxels, so the additions of a warp meet no others of
// it, but those of other samples: each must be atomic. The second option is the step before, the third the one after.
#pragma once

#include "studies/fhd/gpu/fission.cuh"

namespace whorl::studies::fhd::gpu {

inline __global__ void pairs(Sums<float> s, Mu mu) {
  const Index pair = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  const Index j = pair / s.voxels;
  const Index i = pair - j * s.voxels;
  if (j >= s.samples) return;
  const float angle = two_pi * (s.kx[j] * s.x[i] + s.ky[j] * s.y[i] + s.kz[j] * s.z[i]);
  const float cosine = cosf(angle);
  const float sine = sinf(angle);
  atomicAdd(&s.real[i], mu.real[j] * cosine - mu.imag[j] * sine);
  atomicAdd(&s.imag[i], mu.imag[j] * cosine + mu.real[j] * sine);
}

}  // namespace whorl::studies::fhd::gpu
