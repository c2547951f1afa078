// The versions of a correlation on a GPU: a thread makes one pixel. Each kernel changes one thing.
#pragma once

#include "studies/image_filters/gpu_launch.cuh"

namespace whorl::studies::image_filters {

inline constexpr int largest_radius = 15;
/// All threads of a warp read the same weight at a time: what constant memory's cache serves at once.
static __constant__ float constant_weights[(2 * largest_radius + 1) * (2 * largest_radius + 1)];

inline constexpr int block_width = 32;
inline constexpr int block_height = 8;

template <class Real>
struct Sums {
  Real red = 0, green = 0, blue = 0;

  template <class Pixel>
  __device__ void add(Real weight, const Pixel& pixel) {
    red += weight * static_cast<Real>(pixel.x);
    green += weight * static_cast<Real>(pixel.y);
    blue += weight * static_cast<Real>(pixel.z);
  }
  __device__ void store(const Job& job, int x, int y) const {
    Byte* const to = job.to + 3 * (Index{y} * job.width + x);
    to[0] = rounded_level(red);
    to[1] = rounded_level(green);
    to[2] = rounded_level(blue);
  }
};

// step: double, a test of edges for each tap; float
/// A pixel of the picture as it lies there: three loads of a byte.
inline __device__ uchar3 pixel_at(const Job& job, int x, int y) {
  const Byte* const pixel = job.from + 3 * (Index{y} * job.width + x);
  return {pixel[0], pixel[1], pixel[2]};
}

/// First version: for every tap a test of all edges; picture and weights from global memory.
template <class Real>
__global__ void with_edge_tests(Job job, const Real* weights, int radius) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  Sums<Real> sums;
  for (int j = -radius; j <= radius; ++j) {
    for (int i = -radius; i <= radius; ++i) {
      sums.add(*weights++, pixel_at(job, wrapped(x + i, job.width), wrapped(y + j, job.height)));
    }
  }
  sums.store(job, x, y);
}
// end of step

// step: padding in place of tests, four bytes a pixel
/// The picture with a frame of its opposite edges, four bytes a pixel: a pixel is one load from here on.
inline __global__ void pad_picture(Job job, int frame, uchar4* padded) {
  const int x = pixel_x();
  const int y = pixel_y();
  const int width = job.width + 2 * frame;
  if (x >= width || y >= job.height + 2 * frame) return;
  const uchar3 pixel = pixel_at(job, wrapped(x - frame, job.width), wrapped(y - frame, job.height));
  padded[Index{y} * width + x] = {pixel.x, pixel.y, pixel.z, 0};
}

/// No tests; weights from global memory.
inline __global__ void on_padded(Job job, const uchar4* padded, const float* weights, int radius) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  Sums<float> sums;
  for (int j = 0; j <= 2 * radius; ++j) {
    const uchar4* const row = padded + Index{y + j} * (job.width + 2 * radius) + x;
    for (int i = 0; i <= 2 * radius; ++i) sums.add(*weights++, row[i]);
  }
  sums.store(job, x, y);
}
// end of step

// step: weights in constant memory
/// The sums over a padded picture, with the weights in constant memory.
inline __global__ void with_constant_weights(Job job, const uchar4* padded, int radius) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  Sums<float> sums;
  int tap = 0;
  for (int j = 0; j <= 2 * radius; ++j) {
    const uchar4* const row = padded + Index{y + j} * (job.width + 2 * radius) + x;
    for (int i = 0; i <= 2 * radius; ++i) sums.add(constant_weights[tap++], row[i]);
  }
  sums.store(job, x, y);
}
// end of step

// step: rows, then columns
/// Along rows, of every row of the padded picture: [height + 2 radius, width].
inline __global__ void along_rows(Job job, const uchar4* padded, int radius, float4* between) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height + 2 * radius) return;
  Sums<float> sums;
  const uchar4* const row = padded + Index{y} * (job.width + 2 * radius) + x;
  for (int i = 0; i <= 2 * radius; ++i) sums.add(constant_weights[i], row[i]);
  between[Index{y} * job.width + x] = {sums.red, sums.green, sums.blue, 0};
}

/// Then along columns.
inline __global__ void along_columns(Job job, const float4* between, int radius) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  Sums<float> sums;
  for (int j = 0; j <= 2 * radius; ++j) sums.add(constant_weights[j], between[Index{y + j} * job.width + x]);
  sums.store(job, x, y);
}
// end of step

}  // namespace whorl::studies::image_filters
