// Light, Gaussian and slopes of Canny on a GPU: a thread for each pixel.
#pragma once

#include "studies/image_filters/canny/canny.hpp"
#include "studies/image_filters/gpu_launch.cuh"

namespace whorl::studies::image_filters {

/// Extents of a gray picture.
struct Size {
  int height;
  int width;
};

static __constant__ float constant_window[25];

static __global__ void take_light(Job job, Byte* gray) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  const Index i = Index{y} * job.width + x;
  gray[i] = static_cast<Byte>(luma(job.from[3 * i], job.from[3 * i + 1], job.from[3 * i + 2]));
}

/// First version: a test of all edges for every tap, weights from global memory.
template <class Real>
__global__ void smooth_with_tests(Size size, const Byte* gray, const Real* weights, Byte* to) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  Real sum = 0;
  for (int j = -2; j <= 2; ++j) {
    for (int i = -2; i <= 2; ++i) {
      const Index at = Index{wrapped(y + j, size.height)} * size.width + wrapped(x + i, size.width);
      sum += *weights++ * static_cast<Real>(gray[at]);
    }
  }
  to[Index{y} * size.width + x] = rounded_level(sum);
}

/// A picture with a frame around it: its opposite edges, or zeros.
template <class T, bool torus>
__global__ void add_frame(Size size, const T* from, int frame, T* to) {
  const int x = pixel_x();
  const int y = pixel_y();
  const int width = size.width + 2 * frame;
  if (x >= width || y >= size.height + 2 * frame) return;
  const int i = wrapped(x - frame, size.width);
  const int j = wrapped(y - frame, size.height);
  const bool inside = i == x - frame && j == y - frame;
  to[Index{y} * width + x] = torus || inside ? from[Index{j} * size.width + i] : T(0);
}

/// On a frame of two pixels, with weights in constant memory.
static __global__ void smooth_padded(Size size, const Byte* framed, Byte* to) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  float sum = 0;
  for (int j = 0; j < 5; ++j) {
    const Byte* const row = framed + Index{y + j} * (size.width + 4) + x;
    for (int i = 0; i < 5; ++i) sum += constant_window[5 * j + i] * static_cast<float>(row[i]);
  }
  to[Index{y} * size.width + x] = rounded_level(sum);
}

struct Slope {
  int x;
  int y;
};

inline __device__ Slope slope_of(const Byte* up, const Byte* here, const Byte* down, int left, int x, int right) {
  return {up[right] - up[left] + 2 * (here[right] - here[left]) + down[right] - down[left],
          down[left] + 2 * down[x] + down[right] - up[left] - 2 * up[x] - up[right]};
}

template <class Real>
__device__ void store_slope(const Slope& slope, Real* length, Real* angle) {
  const auto across = static_cast<Real>(slope.x);
  const auto down = static_cast<Real>(slope.y);
  *length = sqrt(across * across + down * down);
  *angle = atan2(down, across);
}

template <class Real>
__global__ void slopes_with_tests(Size size, const Byte* smoothed, Real* length, Real* angle) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const Byte* const up = smoothed + Index{wrapped(y - 1, size.height)} * size.width;
  const Byte* const here = smoothed + Index{y} * size.width;
  const Byte* const down = smoothed + Index{wrapped(y + 1, size.height)} * size.width;
  const Index at = Index{y} * size.width + x;
  store_slope(slope_of(up, here, down, wrapped(x - 1, size.width), x, wrapped(x + 1, size.width)), length + at,
              angle + at);
}

/// On a frame of one pixel.
static __global__ void slopes_padded(Size size, const Byte* framed, float* length, float* angle) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const Byte* const up = framed + Index{y} * (size.width + 2);
  const Byte* const here = up + size.width + 2;
  const Byte* const down = here + size.width + 2;
  const Index at = Index{y} * size.width + x;
  store_slope(slope_of(up, here, down, x, x + 1, x + 2), length + at, angle + at);
}

/// Lengths with a frame of zeros (filled before), and directions in place of angles.
static __global__ void slopes_and_directions(Size size, const Byte* framed, float* length, Byte* direction) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= size.width || y >= size.height) return;
  const Byte* const up = framed + Index{y} * (size.width + 2);
  const Byte* const here = up + size.width + 2;
  const Byte* const down = here + size.width + 2;
  const Slope slope = slope_of(up, here, down, x, x + 1, x + 2);
  length[Index{y + 1} * (size.width + 2) + x + 1] = sqrtf(static_cast<float>(slope.x * slope.x + slope.y * slope.y));
  direction[Index{y} * size.width + x] = direction_of(slope.x, slope.y);
}

}  // namespace whorl::studies::image_filters
