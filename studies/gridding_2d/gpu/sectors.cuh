// Coarse-grained, output-driven: a block for each sector of 32 x 32 cells, with the points that its samples reach, 40 x
// 40, in shared memory; samples are sorted by sector before.
//
// Sums go to shared memory, which belongs to the multiprocessor, and each point goes to global memory once. Blocks
// write no common points: the points of a tile that belong to its neighbors are added afterwards. Four samples are
// added at a time, each by 64 threads.
#pragma once

#include "studies/gridding_2d/gpu/windows.cuh"

namespace whorl::studies::gridding_2d {

inline constexpr int sector_threads = 256;
inline constexpr int tile_floats = 2 * padded_points;

struct SectorJob {
  const float4* sorted;
  const int* first;  ///< [sectors + 1]
  const float* table;
  float scale;
  int sectors_x;
  float* tiles;  ///< [sectors, 2, padded, padded]
};

/// Shared memory: tile_floats and the window's.
template <class Window>
__global__ void sectors(SectorJob job) {
  extern __shared__ float tile[];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto block = static_cast<int>(blockIdx.x);
  const Window window({job.table, tile + tile_floats, job.scale});
  for (int i = thread; i < tile_floats; i += sector_threads) tile[i] = 0;
  __syncthreads();

  constexpr int at_once = sector_threads / window_threads;
  const int corner_y = block / job.sectors_x * sector - width / 2;
  const int corner_x = block % job.sectors_x * sector - width / 2;
  const int end = job.first[block + 1];
  for (int j = job.first[block] + thread / window_threads; j < end; j += at_once) {
    const float4 sample = job.sorted[j];
    const PointOfWindow at(thread % window_threads, sample.x, sample.y);
    const float weight = window(at);
    const int point = (at.y - corner_y) * padded + at.x - corner_x;
    atomicAdd(tile + point, weight * sample.z);
    atomicAdd(tile + padded_points + point, weight * sample.w);
  }
  __syncthreads();
  float* const to = job.tiles + static_cast<Index>(block) * tile_floats;
  for (int i = thread; i < tile_floats; i += sector_threads) to[i] = tile[i];
}

}  // namespace whorl::studies::gridding_2d
