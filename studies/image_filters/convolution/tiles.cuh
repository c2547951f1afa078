// A correlation on a GPU from shared memory: a block loads what its pixels need once, and around the edges of the
// picture, so that no padded copy is made.
#pragma once

#include "studies/image_filters/convolution/kernels.cuh"

namespace whorl::studies::image_filters {

// step: a tile in shared memory, no padding; four pixels a thread
/// The pixels of a block of block_width x `rows` and `radius` around it, four bytes each.
inline __device__ void load_tile(const Job& job, int radius, int rows, uchar4* tile) {
  const int width = block_width + 2 * radius;
  const int left = static_cast<int>(blockIdx.x) * block_width - radius;
  const int top = static_cast<int>(blockIdx.y) * rows - radius;
  for (int j = static_cast<int>(threadIdx.y); j < rows + 2 * radius; j += block_height) {
    for (int i = static_cast<int>(threadIdx.x); i < width; i += block_width) {
      // Blocks may reach over the right and lower edge by more than the picture is large; nobody uses those pixels.
      const int x = wrapped(min(left + i, job.width + radius), job.width);
      const int y = wrapped(min(top + j, job.height + radius), job.height);
      const uchar3 pixel = pixel_at(job, min(x, job.width - 1), min(y, job.height - 1));
      tile[j * width + i] = {pixel.x, pixel.y, pixel.z, 0};
    }
  }
  __syncthreads();
}
// end of step

// step: a tile in shared memory, no padding
/// A pixel a thread, which reads (2 radius + 1)^2 pixels of the tile.
inline __global__ void with_shared_tile(Job job, int radius) {
  extern __shared__ uchar4 tile[];
  load_tile(job, radius, block_height, tile);
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  Sums<float> sums;
  int tap = 0;
  for (int j = 0; j <= 2 * radius; ++j) {
    const uchar4* const row = tile + (static_cast<int>(threadIdx.y) + j) * (block_width + 2 * radius) + threadIdx.x;
    for (int i = 0; i <= 2 * radius; ++i) sums.add(constant_weights[tap++], row[i]);
  }
  sums.store(job, x, y);
}
// end of step

// step: four pixels a thread
inline constexpr int rows_of_thread = 4;

/// Four pixels a thread, one below the other: each pixel of the tile is read, and made float, for up to four sums in
/// registers. Turning bytes to float takes longer than the product that follows.
inline __global__ void four_pixels_a_thread(Job job, int radius) {
  extern __shared__ uchar4 tile[];
  load_tile(job, radius, rows_of_thread * block_height, tile);
  const int x = pixel_x();
  const int y = rows_of_thread * pixel_y();
  const int width = block_width + 2 * radius;
  const int extent = 2 * radius + 1;
  const uchar4* const first = tile + rows_of_thread * static_cast<int>(threadIdx.y) * width + threadIdx.x;
  Sums<float> sums[rows_of_thread];
  for (int i = 0; i < extent; ++i) {
    for (int j = 0; j < extent + rows_of_thread - 1; ++j) {
      const uchar4 pixel = first[j * width + i];
      const float3 level = {static_cast<float>(pixel.x), static_cast<float>(pixel.y), static_cast<float>(pixel.z)};
#pragma unroll
      for (int row = 0; row < rows_of_thread; ++row) {
        const int tap = j - row;
        if (tap >= 0 && tap < extent) sums[row].add(constant_weights[tap * extent + i], level);
      }
    }
  }
#pragma unroll
  for (int row = 0; row < rows_of_thread; ++row) {
    if (x < job.width && y + row < job.height) sums[row].store(job, x, y + row);
  }
}
// end of step

}  // namespace whorl::studies::image_filters
