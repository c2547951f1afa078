// What the kernels of single optimizations are put together from: how a sample is read, how the window's value is found,
// and how a grid or a tile holds its numbers.
#pragma once

#include "studies/gridding_2d/layout.hpp"
#include "studies/gridding_2d/window.hpp"

namespace whorl::studies::gridding_2d::alone {

/// The table of the largest sizes that the study offers.
inline constexpr int most_entries = 512;
static __constant__ float sized_table[most_entries];

/// The view of a thread for each point of a window: its point, and the distance from the sample.
template <int Window>
struct PointOf {
  int x, y;
  float dx, dy;

  __device__ PointOf(int thread, float place_x, float place_y)
      : x(first_point(place_x, Window) + thread % Window),
        y(first_point(place_y, Window) + thread / Window),
        dx(static_cast<float>(x) - place_x),
        dy(static_cast<float>(y) - place_y) {}

  __device__ int on(const Extents& grid) const { return wrapped(y, grid.y) * grid.x + wrapped(x, grid.x); }
};

/// Four loads for a sample, as of a struct of floats, or one.
struct SampleLoads {
  const Sample* samples;
  __device__ Sample operator[](int j) const { return samples[j]; }
};
struct AlignedLoads {
  const float4* samples;
  __device__ Sample operator[](int j) const {
    const float4 sample = samples[j];
    return {sample.x, sample.y, sample.z, sample.w};
  }
};

struct Exponential {
  float scale;  ///< -1 / b
  __device__ float operator()(float dx, float dy) const { return expf(scale * (dx * dx + dy * dy)); }
};
struct TableInConstantMemory {
  int per_cell;
  __device__ float operator()(float dx, float dy) const {
    return sized_table[entry_at(sqrtf(dx * dx + dy * dy), per_cell)];
  }
};

/// Numbers of `points` points as complex numbers: in shared memory neighbors are two banks apart, so that half of the
/// banks of the first GPUs were idle.
struct Interleaved {
  static __device__ void add(float* numbers, int /*points*/, int point, float real, float imag) {
    atomicAdd(numbers + 2 * point, real);
    atomicAdd(numbers + 2 * point + 1, imag);
  }
  static __device__ float2 get(const float* numbers, int /*points*/, int point) {
    return {numbers[2 * point], numbers[2 * point + 1]};
  }
  static __device__ void set(float* numbers, int /*points*/, int point, float2 value) {
    numbers[2 * point] = value.x;
    numbers[2 * point + 1] = value.y;
  }
};

/// The parts as real parts, then imaginary parts.
struct Apart {
  static __device__ void add(float* numbers, int points, int point, float real, float imag) {
    atomicAdd(numbers + point, real);
    atomicAdd(numbers + points + point, imag);
  }
  static __device__ float2 get(const float* numbers, int points, int point) {
    return {numbers[point], numbers[points + point]};
  }
  static __device__ void set(float* numbers, int points, int point, float2 value) {
    numbers[point] = value.x;
    numbers[points + point] = value.y;
  }
};

}  // namespace whorl::studies::gridding_2d::alone
