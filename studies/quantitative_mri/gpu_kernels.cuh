// The kernels of the ladder. A thread sums over all samples for its voxel or voxels: no two threads write to one place.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::studies::quantitative_mri {

/// A sample in one piece, as constant memory holds it.
struct Sample {
  float kx, ky, kz;
  float real, imag;
};

/// Samples that constant memory (64 KB) holds at a time: 40 KB.
inline constexpr int chunk_samples = 2048;
static __constant__ Sample chunk[chunk_samples];

/// Sine and cosine by the library: right to one or two units in the last place.
struct LibraryFunctions {
  static __device__ float sine(float angle) { return sinf(angle); }
  static __device__ float cosine(float angle) { return cosf(angle); }
};

// step: least squares, GPU, constant memory, hardware sin/cos
/// By the special function units, which reduce the angle in single precision: the error grows with the angle.
struct HardwareFunctions {
  static __device__ float sine(float angle) { return __sinf(angle); }
  static __device__ float cosine(float angle) { return __cosf(angle); }
};
// end of step

inline constexpr float two_pi = 6.283185307179586F;

struct Position {
  float x, y, z;
};

inline __device__ Position position_of(Index voxel, int extent) {
  const auto x = static_cast<int>(voxel % extent);
  const auto y = static_cast<int>(voxel / extent % extent);
  const auto z = static_cast<int>(voxel / extent / extent);
  return {static_cast<float>(x - extent / 2), static_cast<float>(y - extent / 2), static_cast<float>(z - extent / 2)};
}

/// What the sums are in global memory: planes of k-space positions, and data.
struct GlobalSums {
  const float* points;  ///< [3, sample]
  const float2* data;
  int samples;
  int extent;
  Index first;  ///< voxel of the part's first element
  Index count;  ///< voxels of the part
  float2* part;
};

// step: least squares, GPU, global memory
/// One voxel a thread; every operand comes from global memory, and every term is added there.
inline __global__ void global_memory_sums(GlobalSums sums) {
  const Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (i >= sums.count) return;
  const Position r = position_of(sums.first + i, sums.extent);
  sums.part[i] = {0, 0};
  for (int j = 0; j < sums.samples; ++j) {
    const float angle =
        two_pi * (sums.points[j] * r.x + sums.points[sums.samples + j] * r.y + sums.points[2 * sums.samples + j] * r.z);
    const float cosine = LibraryFunctions::cosine(angle);
    const float sine = LibraryFunctions::sine(angle);
    sums.part[i].x += sums.data[j].x * cosine - sums.data[j].y * sine;
    sums.part[i].y += sums.data[j].y * cosine + sums.data[j].x * sine;
  }
}
// end of step

// step: least squares, GPU, constant memory; least squares, GPU, constant memory, hardware sin/cos
/// Planes into samples of one piece, for copies to constant memory.
inline __global__ void gather_samples(const float* points, const float2* data, int count, Sample* samples) {
  const int j = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (j >= count) return;
  samples[j] = {points[j], points[count + j], points[2 * count + j], data[j].x, data[j].y};
}

/// Adds the samples in constant memory, which all threads of a warp read at once, to `Voxels` voxels of each thread,
/// which lie a block apart. Position and sums stay in registers; more voxels share the reading of a sample.
template <class Functions, int Voxels, int Unroll>
__global__ void constant_memory_sums(int samples, int extent, Index first, Index count, float2* part) {
  Position r[Voxels];
  float2 sum[Voxels];
  const Index start = blockIdx.x * Index{blockDim.x} * Voxels + threadIdx.x;
#pragma unroll
  for (int v = 0; v < Voxels; ++v) {
    r[v] = position_of(first + start + v * Index{blockDim.x}, extent);
    sum[v] = {0, 0};
  }
#pragma unroll(Unroll)
  for (int j = 0; j < samples; ++j) {
    const Sample sample = chunk[j];
#pragma unroll
    for (int v = 0; v < Voxels; ++v) {
      const float angle = two_pi * (sample.kx * r[v].x + sample.ky * r[v].y + sample.kz * r[v].z);
      const float cosine = Functions::cosine(angle);
      const float sine = Functions::sine(angle);
      sum[v].x += sample.real * cosine - sample.imag * sine;
      sum[v].y += sample.imag * cosine + sample.real * sine;
    }
  }
#pragma unroll
  for (int v = 0; v < Voxels; ++v) {
    const Index i = start + v * Index{blockDim.x};
    if (i >= count) break;
    part[i].x += sum[v].x;
    part[i].y += sum[v].y;
  }
}
// end of step

}  // namespace whorl::studies::quantitative_mri
