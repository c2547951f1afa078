// The data of the kernels for a GPU, and the small kernel before all of them.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::studies::mri_q {

/// A sample in one piece: 16 bytes, which one instruction reads.
struct alignas(16) Sample {
  float kx, ky, kz;
  float phi;  ///< |phi|^2
};

/// All of it lies in global memory.
struct GpuSums {
  const Sample* samples;
  int sample_count;
  const float *x, *y, *z;
  float *real, *imag;
  Index voxels;
};

inline constexpr float two_pi = 6.283185307179586F;

/// The number of a thread among all: its voxel.
inline __device__ Index thread_number() { return blockIdx.x * Index{blockDim.x} + threadIdx.x; }

/// Parboil's computePhiMag, which puts k beside it.
inline __global__ void phi_magnitudes(const float* k, const float2* phi, int count, Sample* samples) {
  const auto j = static_cast<int>(thread_number());
  if (j >= count) return;
  samples[j] = {k[j], k[count + j], k[2 * count + j], phi[j].x * phi[j].x + phi[j].y * phi[j].y};
}

}  // namespace whorl::studies::mri_q
