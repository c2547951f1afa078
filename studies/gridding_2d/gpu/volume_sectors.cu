// Sectors in three dimensions: a block for each sector of 8^3 cells, with the 16^3 points that its samples reach in 32 KB
// of shared memory. The 512 threads of a block are the points of a window, for one sample after the other; warps of
// two samples may reach one point, so sums are atomic. A second kernel collects each point from up to eight tiles.
#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/gpu/tile_place.cuh"
#include "studies/gridding_2d/volume.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using backend::cuda::check_launch;
using backend::cuda::stream_of;
using Number = std::complex<float>;

constexpr int window_points = width * width * width;
constexpr int collect_threads = 256;
constexpr int half_window = width / 2;

/// A functor of the squared distance; a barrier comes between its constructor and its first call.
struct ExactOfSquare {
  float scale;
  __device__ ExactOfSquare(const float* /*table*/, float* /*shared*/, float minus_1_over_b) : scale(minus_1_over_b) {}
  __device__ float operator()(float square) const { return expf(scale * square); }
};

struct SharedTableOfSquare {
  const float* table;
  __device__ SharedTableOfSquare(const float* from, float* shared, float /*minus_1_over_b*/) : table(shared) {
    for (unsigned i = threadIdx.x; i < table_entries; i += blockDim.x) shared[i] = from[i];
  }
  __device__ float operator()(float square) const { return table[entry_at(sqrtf(square))]; }
};

struct VolumeSectorJob {
  const VolumeSample* sorted;
  const int* first;
  const float* table;
  float scale;
  VolumeExtents extents;
  float* tiles;  ///< [sector, 2, padded^3]: real parts, imaginary parts
};

template <class Value>
__global__ void volume_sectors(VolumeSectorJob job) {
  __shared__ float tile[2 * volume_tile_points];
  __shared__ float window_table_copy[table_entries];
  const auto thread = static_cast<int>(threadIdx.x);
  const auto block = static_cast<int>(blockIdx.x);
  const Value value(job.table, window_table_copy, job.scale);
  for (int i = thread; i < 2 * volume_tile_points; i += window_points) tile[i] = 0;
  __syncthreads();

  const int columns = VolumeExtents::sectors_along(job.extents.x);
  const int rows = VolumeExtents::sectors_along(job.extents.y);
  const int corner_x = block % columns * volume_sector - half_window;
  const int corner_y = block / columns % rows * volume_sector - half_window;
  const int corner_z = block / columns / rows * volume_sector - half_window;
  const int end = job.first[block + 1];
  for (int j = job.first[block]; j < end; ++j) {
    const VolumeSample sample = job.sorted[j];
    const int x = first_point(sample.x) + thread % width;
    const int y = first_point(sample.y) + thread / width % width;
    const int z = first_point(sample.z) + thread / width / width;
    const float dx = static_cast<float>(x) - sample.x;
    const float dy = static_cast<float>(y) - sample.y;
    const float dz = static_cast<float>(z) - sample.z;
    const float weight = value(dx * dx + dy * dy + dz * dz);
    const int point = ((z - corner_z) * volume_padded + y - corner_y) * volume_padded + x - corner_x;
    atomicAdd(tile + point, weight * sample.real);
    atomicAdd(tile + volume_tile_points + point, weight * sample.imag);
  }
  __syncthreads();
  float* const to = job.tiles + Index{block} * 2 * volume_tile_points;
  for (int i = thread; i < 2 * volume_tile_points; i += window_points) to[i] = tile[i];
}

__global__ void collect_volume(const float* tiles, VolumeExtents extents, float2* grid) {
  const Index point = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  if (point >= extents.points()) return;
  const auto x = static_cast<int>(point % extents.x);
  const auto y = static_cast<int>(point / extents.x % extents.y);
  const auto z = static_cast<int>(point / extents.x / extents.y);
  const int columns = VolumeExtents::sectors_along(extents.x);
  const int rows = VolumeExtents::sectors_along(extents.y);
  const int layers = VolumeExtents::sectors_along(extents.z);
  float2 sum{0, 0};
  for (int tz = z / volume_sector - 1; tz <= z / volume_sector + 1; ++tz) {
    const TilePlace layer(tz, layers, volume_sector, extents.z);
    const int k = z - layer.corner + half_window;
    if (k < 0 || k >= volume_padded) continue;
    for (int ty = y / volume_sector - 1; ty <= y / volume_sector + 1; ++ty) {
      const TilePlace row(ty, rows, volume_sector, extents.y);
      const int j = y - row.corner + half_window;
      if (j < 0 || j >= volume_padded) continue;
      for (int tx = x / volume_sector - 1; tx <= x / volume_sector + 1; ++tx) {
        const TilePlace column(tx, columns, volume_sector, extents.x);
        const int i = x - column.corner + half_window;
        if (i < 0 || i >= volume_padded) continue;
        const Index sector_number = (Index{layer.tile} * rows + row.tile) * columns + column.tile;
        const float* const from =
            tiles + sector_number * 2 * volume_tile_points + (k * volume_padded + j) * volume_padded + i;
        sum.x += from[0];
        sum.y += from[volume_tile_points];
      }
    }
  }
  grid[point] = sum;
}

template <class Value>
Array<float> volume_tiles(const Context& ctx, const VolumeProblem& problem) {
  Array<float> tiles(ctx, {problem.grid.sectors(), 2 * volume_tile_points});
  volume_sectors<Value><<<static_cast<unsigned>(problem.grid.sectors()), window_points, 0, stream_of(ctx)>>>(
      {problem.sorted.data(), problem.first.data(), problem.table.data(), static_cast<float>(-1 / problem.b),
       problem.grid, tiles.data()});
  check_launch("volume_sectors");
  return tiles;
}

template <class Value>
void padding_by_device(const Context& ctx, const VolumeProblem& problem, ArrayRef<Number> grid) {
  const Array<float> tiles = volume_tiles<Value>(ctx, problem);
  const auto blocks = static_cast<unsigned>(divide_up(problem.grid.points(), Index{collect_threads}));
  collect_volume<<<blocks, collect_threads, 0, stream_of(ctx)>>>(tiles.data(), problem.grid,
                                                                 reinterpret_cast<float2*>(grid.data()));
  check_launch("collect_volume");
}

void padding_by_host(const Context& ctx, const VolumeProblem& problem, ArrayRef<Number> grid) {
  const Array<float> there = volume_tiles<ExactOfSquare>(ctx, problem);
  const Array<float> planes = to_host(ctx, there.ref());
  Array<Number> tiles(ctx.host(), {problem.grid.sectors(), volume_tile_points});
  for (Index s = 0; s < tiles.extent(0); ++s) {
    const float* const real = planes.data() + s * 2 * volume_tile_points;
    for (Index i = 0; i < volume_tile_points; ++i) {
      tiles.data()[s * volume_tile_points + i] = {real[i], real[volume_tile_points + i]};
    }
  }
  Array<Number> sums(ctx.host(), grid.shape());
  add_volume_tiles(problem.grid, tiles.data(), ctx.threads(), sums.data());
  copy<Number>(ctx, sums, grid);
}

}  // namespace

std::vector<VolumeStep> gpu_volume_sector_steps() {
  return {{"sector-driven, padding added by the host", Lookup::exact, padding_by_host},
          {"sector-driven, padding added on the device", Lookup::exact, padding_by_device<ExactOfSquare>},
          {"the same, window in shared memory", Lookup::distance, padding_by_device<SharedTableOfSquare>}};
}

}  // namespace whorl::studies::gridding_2d
