// A block for each sector, whose padded tile lies in shared memory, for sectors of any side; and the kernel that
// collects each point from the tiles that hold it.
#pragma once

#include "studies/gridding_2d/alone/parts.cuh"
#include "studies/gridding_2d/gpu/tile_place.cuh"

namespace whorl::studies::gridding_2d::alone {

inline constexpr int block_threads = 256;

struct SectorsOf {
  Extents extents;
  int side;
  int padded;  ///< side and window
  const int* first;
  float* tiles;  ///< [sector, 2 padded^2], each in the layout of the kernel

  __host__ __device__ int points() const { return padded * padded; }
};

/// Shared memory: 2 padded^2 floats.
template <int Window, class Loads, class Weight, class Tile>
__global__ void sector_driven(Loads sorted, Weight weight, SectorsOf job) {
  static_assert(block_threads % (Window * Window) == 0);
  extern __shared__ float sector_tile[];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto block = static_cast<int>(blockIdx.x);
  const int floats = 2 * job.points();
  for (int i = thread; i < floats; i += block_threads) sector_tile[i] = 0;
  __syncthreads();

  constexpr int at_once = block_threads / (Window * Window);
  const int columns = job.extents.sectors_x(job.side);
  const int corner_y = block / columns * job.side - Window / 2;
  const int corner_x = block % columns * job.side - Window / 2;
  const int end = job.first[block + 1];
  for (int j = job.first[block] + thread / (Window * Window); j < end; j += at_once) {
    const Sample sample = sorted[j];
    const PointOf<Window> at(thread % (Window * Window), sample.x, sample.y);
    const float w = weight(at.dx, at.dy);
    const int point = (at.y - corner_y) * job.padded + at.x - corner_x;
    Tile::add(sector_tile, job.points(), point, w * sample.real, w * sample.imag);
  }
  __syncthreads();
  float* const to = job.tiles + Index{block} * floats;
  for (int i = thread; i < floats; i += block_threads) to[i] = sector_tile[i];
}

template <class Tile>
__global__ void collect_points(SectorsOf job, float* grid) {
  const auto point = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int count = job.extents.y * job.extents.x;
  if (point >= count) return;
  const int y = point / job.extents.x;
  const int x = point % job.extents.x;
  const int rows = job.extents.sectors_y(job.side);
  const int columns = job.extents.sectors_x(job.side);
  const int half = (job.padded - job.side) / 2;
  float2 sum{0, 0};
  for (int ty = y / job.side - 1; ty <= y / job.side + 1; ++ty) {
    const TilePlace row(ty, rows, job.side, job.extents.y);
    const int local_y = y - row.corner + half;
    if (local_y < 0 || local_y >= job.padded) continue;
    for (int tx = x / job.side - 1; tx <= x / job.side + 1; ++tx) {
      const TilePlace column(tx, columns, job.side, job.extents.x);
      const int local_x = x - column.corner + half;
      if (local_x < 0 || local_x >= job.padded) continue;
      const float* const tile = job.tiles + (Index{row.tile} * columns + column.tile) * 2 * job.points();
      const float2 value = Tile::get(tile, job.points(), local_y * job.padded + local_x);
      sum.x += value.x;
      sum.y += value.y;
    }
  }
  Tile::set(grid, count, point, sum);
}

}  // namespace whorl::studies::gridding_2d::alone
