// Spreading without atomics. Each warp owns a patch of the grid and holds it in registers: a lane one point for several
// coils in 2D, in 3D a column of points along z. A block reads the samples whose windows touch its tile (the sectors of
// Obeid et al. and Gregerson, "Implementing fast MRI gridding on GPUs via CUDA", 2008), in 2D and 3D some hundred at a
// time: a thread evaluates the window of a sample along the axes and writes it to shared memory as it lies over the
// tile, zero where it does not reach; every warp then adds the samples that touch its patch. The sums are made in the
// order of the sorted samples, so the result is the same in every run.
//
// Where the sectors of those authors look up a window for each pair of a sample and a point, here a window is evaluated
// once per tile and axis and reused over points and coils; and where Shih et al. ("cuFINUFFT: a load-balanced GPU
// library for general-purpose nonuniform FFTs", 2021) add to tiles in shared memory by atomics, which are loops of
// compare and swap for floating point, nothing here is written twice. Theirs is that crowded tiles are cut into parts
// of bounded size.
#pragma once

#include "backend/cuda/device/gridding_tiles.cuh"
#include "backend/cuda/tuning/gridding.hpp"

namespace whorl::backend::cuda {

/// Points of a spreading tile along x and y, and along z.
inline constexpr int spread_tile = 16;
template <int Dim>
inline constexpr int spread_planes = Dim == 2 ? 1 : 8;

/// What both directions read of a plan.
template <class Real, int Dim>
struct GriddingTables {
  const SortedSample<Real, Dim>* samples;
  const int* bin_first;        // [bins + 1]
  const Real* coefficients;    // [degree + 1][width]
  int width;
  int degree;
  BinGrid bins;
  TileGrid tiles;
  const TilePart* parts;
  long long row;    // elements of the grid
  long long plane;
  long long size;   // of one coil's grid
  long long sample_count;
};

template <class Real, int Dim, int Coils>
struct SpreadMemory {
  static constexpr int batch = tuning::spread_batch<Real>;
  static constexpr int pitch = batch + 1;  // the values of neighboring points for one sample lie in different banks
  static constexpr int value_pitch = Coils < 4 ? Coils : sizeof(Real) == 4 ? Coils + 2 : Coils + 1;
  static constexpr int planes = spread_planes<Dim>;
  static constexpr int plane_pitch = Dim == 2 ? 0 : sizeof(Real) == 4 ? planes + 4 : planes + 2;

  alignas(16) DeviceComplex<Real> value[batch * value_pitch];  // [sample][coil]
  alignas(16) Real z[batch * plane_pitch + (Dim == 2)];        // [sample][plane]
  Real x[spread_tile * pitch];                                 // [point][sample]
  Real y[spread_tile * pitch];
  unsigned touched[batch];  // points of the tile under the window: a bit each, x in the lower half, y in the upper
  SampleRanges ranges;

  static std::size_t bytes(int coefficients) {
    return (sizeof(SpreadMemory) + 15) / 16 * 16 + static_cast<std::size_t>(coefficients) * sizeof(Real);
  }
  __device__ Real* coefficients() {
    return reinterpret_cast<Real*>(reinterpret_cast<char*>(this) + (sizeof(SpreadMemory) + 15) / 16 * 16);
  }
};

/// Evaluates a sample's window along the axes and lays it over the tile with corner (cx, cy, cz). Windows lie across
/// the end of the period, and more than once over a grid that is smaller than they are. Returns the points touched.
template <class Real, int Dim, int Coils>
__device__ unsigned lay_window(SpreadMemory<Real, Dim, Coils>& memory, const GriddingTables<Real, Dim>& tables,
                               const SortedSample<Real, Dim>& sample, const int (&corner)[3], int j) {
  using Memory = SpreadMemory<Real, Dim, Coils>;
  const Real* coefficients = memory.coefficients();
  Real* const over[3] = {memory.x + j, memory.y + j, memory.z + j * Memory::plane_pitch};
  constexpr int step[3] = {Memory::pitch, Memory::pitch, 1};
  constexpr int length[3] = {spread_tile, spread_tile, Memory::planes};
  unsigned touched[3] = {0, 0, Dim == 2 ? 1U : 0U};
  int point[Dim];
#pragma unroll
  for (int axis = 0; axis < Dim; ++axis) {
#pragma unroll
    for (int i = 0; i < length[axis]; ++i) over[axis][i * step[axis]] = 0;
    point[axis] = sample.start[axis] - corner[axis];
  }
  for (int l = 0; l < tables.width; ++l) {
    const Real* row = coefficients + tables.degree * tables.width + l;
    Real value[Dim];
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) value[axis] = *row;
#pragma unroll 4
    for (int n = tables.degree; n > 0; --n) {
      row -= tables.width;
      const Real coefficient = *row;
#pragma unroll
      for (int axis = 0; axis < Dim; ++axis) value[axis] = fma(value[axis], sample.u[axis], coefficient);
    }
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      if (point[axis] + corner[axis] >= tables.bins.extent[axis]) point[axis] -= tables.bins.extent[axis];
      if (static_cast<unsigned>(point[axis]) < static_cast<unsigned>(length[axis])) {
        const unsigned bit = 1U << point[axis];
        Real* const place = over[axis] + point[axis] * step[axis];
        *place = (touched[axis] & bit) != 0 ? *place + value[axis] : value[axis];
        touched[axis] |= bit;
      }
      ++point[axis];
    }
  }
  return touched[2] == 0 ? 0 : touched[0] | touched[1] << 16;
}

template <int Coils>
__device__ inline void read_values(const float2* from, float2 (&value)[Coils]) {
  if constexpr (Coils % 2 == 0) {
#pragma unroll
    for (int c = 0; c < Coils; c += 2) {
      const float4 two = *reinterpret_cast<const float4*>(from + c);
      value[c] = {two.x, two.y};
      value[c + 1] = {two.z, two.w};
    }
  } else {
#pragma unroll
    for (int c = 0; c < Coils; ++c) value[c] = from[c];
  }
}

template <int Coils>
__device__ inline void read_values(const double2* from, double2 (&value)[Coils]) {
#pragma unroll
  for (int c = 0; c < Coils; ++c) value[c] = from[c];
}

template <int Planes>
__device__ inline void read_planes(const float* from, float (&weight)[Planes]) {
#pragma unroll
  for (int z = 0; z < Planes; z += 4) {
    const float4 four = *reinterpret_cast<const float4*>(from + z);
    weight[z] = four.x;
    weight[z + 1] = four.y;
    weight[z + 2] = four.z;
    weight[z + 3] = four.w;
  }
}

template <int Planes>
__device__ inline void read_planes(const double* from, double (&weight)[Planes]) {
#pragma unroll
  for (int z = 0; z < Planes; z += 2) {
    const double2 two = *reinterpret_cast<const double2*>(from + z);
    weight[z] = two.x;
    weight[z + 1] = two.y;
  }
}

/// Grid of blocks: (part, group of coils). `partial` is [slot][coil][point of the tile].
template <class Real, int Dim, int Coils>
__global__ void __launch_bounds__(tuning::spread_threads)
    spread_tiles(GriddingTables<Real, Dim> tables, const DeviceComplex<Real>* __restrict__ values,
                 DeviceComplex<Real>* __restrict__ grids, DeviceComplex<Real>* __restrict__ partial, int batch) {
  using Memory = SpreadMemory<Real, Dim, Coils>;
  using Complex = DeviceComplex<Real>;
  constexpr int planes = Memory::planes;
  constexpr unsigned all_lanes = 0xffffffffU;
  extern __shared__ __align__(16) unsigned char shared[];
  Memory& memory = *reinterpret_cast<Memory*>(shared);

  const TilePart part = tables.parts[blockIdx.x];
  const int first_coil = static_cast<int>(blockIdx.y) * Coils;
  const int coils = min(Coils, batch - first_coil);
  const int thread = static_cast<int>(threadIdx.x);
  for (int i = thread; i < (tables.degree + 1) * tables.width; i += tuning::spread_threads) {
    memory.coefficients()[i] = tables.coefficients[i];
  }
  find_ranges(memory.ranges, tables.bins, tables.tiles, tables.bin_first, part.tile);
  const int corner[3] = {tables.tiles.corner(part.tile, 0), tables.tiles.corner(part.tile, 1),
                         tables.tiles.corner(part.tile, 2)};

  // Patches of 8 x 4 points: two along x, four along y.
  const int lane = thread % 32;
  const int warp = thread / 32;
  const int x = warp % 2 * 8 + lane % 8;
  const int y = warp / 2 * 4 + lane / 8;
  const unsigned patch_x = 0xffU << warp % 2 * 8;
  const unsigned patch_y = 0xf0000U << warp / 2 * 4;
  const Real* const over_x = memory.x + x * Memory::pitch;
  const Real* const over_y = memory.y + y * Memory::pitch;
  Complex sum[Coils][planes] = {};

  const int count = (memory.ranges.samples() - part.part + part.parts - 1) / part.parts;
  for (int begin = 0; begin < count; begin += Memory::batch) {
    const int staged = min(Memory::batch, count - begin);
    if (thread < Memory::batch) {
      unsigned touched = 0;
      if (thread < staged) {
        const auto sample =
            tables.samples[memory.ranges.place(part.part + part.parts * (begin + thread))];
        touched = lay_window(memory, tables, sample, corner, thread);
        const Complex* const value = values + first_coil * tables.sample_count + sample.index;
#pragma unroll
        for (int c = 0; c < Coils; ++c) {
          memory.value[thread * Memory::value_pitch + c] = c < coils ? value[c * tables.sample_count] : Complex{0, 0};
        }
      }
      memory.touched[thread] = touched;
    }
    __syncthreads();
    for (int j0 = 0; j0 < staged; j0 += 32) {
      const unsigned touched = memory.touched[j0 + lane];
      unsigned visits = __ballot_sync(all_lanes, (touched & patch_x) != 0 && (touched & patch_y) != 0);
      while (visits != 0) {
        const int j = j0 + __ffs(static_cast<int>(visits)) - 1;
        visits &= visits - 1;
        const Real weight = over_x[j] * over_y[j];
        Complex value[Coils];
        read_values<Coils>(memory.value + j * Memory::value_pitch, value);
        if constexpr (Dim == 2) {
#pragma unroll
          for (int c = 0; c < Coils; ++c) {
            sum[c][0].x = fma(weight, value[c].x, sum[c][0].x);
            sum[c][0].y = fma(weight, value[c].y, sum[c][0].y);
          }
        } else {
          Real along_z[planes];
          read_planes<planes>(memory.z + j * Memory::plane_pitch, along_z);
#pragma unroll
          for (int c = 0; c < Coils; ++c) {
            const Complex column = {weight * value[c].x, weight * value[c].y};
#pragma unroll
            for (int z = 0; z < planes; ++z) {
              sum[c][z].x = fma(along_z[z], column.x, sum[c][z].x);
              sum[c][z].y = fma(along_z[z], column.y, sum[c][z].y);
            }
          }
        }
      }
    }
    __syncthreads();
  }

  if (part.parts > 1) {
    constexpr int tile_points = spread_tile * spread_tile * planes;
    Complex* const to = partial + (static_cast<long long>(part.slot) * batch + first_coil) * tile_points;
#pragma unroll
    for (int c = 0; c < Coils; ++c) {
#pragma unroll
      for (int z = 0; z < planes; ++z) {
        if (c < coils) to[c * tile_points + (z * spread_tile + y) * spread_tile + x] = sum[c][z];
      }
    }
    return;
  }
  if (corner[0] + x >= tables.row || corner[1] + y >= tables.bins.extent[1]) return;
  Complex* const to = grids + first_coil * tables.size + corner[2] * tables.plane + (corner[1] + y) * tables.row +
                      corner[0] + x;
#pragma unroll
  for (int c = 0; c < Coils; ++c) {
#pragma unroll
    for (int z = 0; z < planes; ++z) {
      if (c < coils && corner[2] + z < tables.bins.extent[2]) to[c * tables.size + z * tables.plane] = sum[c][z];
    }
  }
}

/// Adds the parts of the tiles that were cut. Grid of blocks: (tile that was cut, coil).
template <class Real, int Dim>
__global__ void __launch_bounds__(spread_tile* spread_tile)
    add_parts(GriddingTables<Real, Dim> tables, const TilePart* __restrict__ cut_tiles,
              const DeviceComplex<Real>* __restrict__ partial, DeviceComplex<Real>* __restrict__ grids) {
  using Complex = DeviceComplex<Real>;
  constexpr int tile_points = spread_tile * spread_tile * spread_planes<Dim>;
  const TilePart cut = cut_tiles[blockIdx.x];
  const int thread = static_cast<int>(threadIdx.x);
  const int x = tables.tiles.corner(cut.tile, 0) + thread % spread_tile;
  const int y = tables.tiles.corner(cut.tile, 1) + thread / spread_tile;
  if (x >= tables.row || y >= tables.bins.extent[1]) return;
  const long long next_part = static_cast<long long>(gridDim.y) * tile_points;
  for (int plane = 0; plane < spread_planes<Dim>; ++plane) {
    const int z = tables.tiles.corner(cut.tile, 2) + plane;
    if (z >= tables.bins.extent[2]) return;
    const Complex* from = partial + (static_cast<long long>(cut.slot) * gridDim.y + blockIdx.y) * tile_points +
                          plane * spread_tile * spread_tile + thread;
    Complex sum = {0, 0};
#pragma unroll 4
    for (int p = 0; p < cut.parts; ++p) {
      sum.x += from[p * next_part].x;
      sum.y += from[p * next_part].y;
    }
    grids[blockIdx.y * tables.size + z * tables.plane + y * tables.row + x] = sum;
  }
}

}  // namespace whorl::backend::cuda
