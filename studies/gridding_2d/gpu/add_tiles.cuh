// The device adds the padding of the tiles: a thread per point collects it from the tiles that hold it, that of its own
// sector and those of neighbors within half a window.
//
// A kernel of the first GPUs could not wait for all its blocks, and in the paper's program the host adds the padding. A
// second kernel waits for the first one and costs a few microseconds, instead of two copies across the bus.
#pragma once

#include "studies/gridding_2d/gpu/common.cuh"

namespace whorl::studies::gridding_2d {

inline constexpr int add_threads = 256;

inline __global__ void add_tiles(const float* tiles, Extents extents, float* real, float* imag) {
  // The grid's points are a multiple of the threads: sectors of 1024 points make it up.
  const auto point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int y = point / extents.x;
  const int x = point % extents.x;
  float2 sum{0, 0};
  for (int ty = y / sector - 1; ty <= y / sector + 1; ++ty) {
    const int local_y = y - ty * sector + width / 2;
    if (local_y < 0 || local_y >= padded) continue;
    for (int tx = x / sector - 1; tx <= x / sector + 1; ++tx) {
      const int local_x = x - tx * sector + width / 2;
      if (local_x < 0 || local_x >= padded) continue;
      const Index tile = wrapped(ty, extents.sectors_y()) * extents.sectors_x() + wrapped(tx, extents.sectors_x());
      const float* const from = tiles + tile * 2 * padded_points + local_y * padded + local_x;
      sum.x += from[0];
      sum.y += from[padded_points];
    }
  }
  real[point] = sum.x;
  imag[point] = sum.y;
}

}  // namespace whorl::studies::gridding_2d
