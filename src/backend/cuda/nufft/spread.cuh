// Spreading without atomics. Each warp owns a patch of the grid and holds it in registers. A lane holds one point for
// several coils in 2D, a column of points along y for few coils in 2D, and a column along z in 3D. A block reads the
// samples whose windows touch its tile (the sectors of Obeid et al. and Gregerson, "Implementing fast MRI gridding on
// GPUs via CUDA", 2008), some hundred at a time. A thread evaluates the window of a sample along the axes and writes it
// to shared memory in the coordinates of the tile, with zeros outside the window. Every warp then adds the samples that
// touch its patch. The sums are made in the order of the sorted samples, so the result is the same in every run.
//
// Those authors look up a window for each pair of a sample and a point; here a window is evaluated once per tile and
// axis and reused for all points and coils. Shih et al. ("cuFINUFFT: a load-balanced GPU library for general-purpose
// nonuniform FFTs", 2021) add to tiles in shared memory by atomics, which in floating point are loops of compare and
// swap; here nothing is written twice. From them is the idea to cut crowded tiles into parts of bounded size.
#pragma once

#include "backend/cuda/nufft/gridding_tables.cuh"
#include "backend/cuda/nufft/gridding_tuning.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

using tuning::spread_planes;
using tuning::spread_tile;

inline constexpr unsigned all_lanes = 0xffffffffU;

/// The points of a lane: a column along the last axis. In 3D that is z, and 8 patches of 8 x 4 columns fill a tile. In
/// 2D a column is one point if there are enough coils to reuse a weight. For few coils it is four points along y; then
/// two patches fill a tile, and warps share the samples of a patch.
template <int Dim, int Coils>
inline constexpr int spread_column = Dim == 3     ? 8
                                     : Coils <= 2 ? 4
                                                  : 1;

template <class Real, int Dim, int Coils>
struct SpreadMemory {
  static constexpr int batch = tuning::spread_threads;
  static constexpr int warps = tuning::spread_threads / 32;
  static constexpr int column = spread_column<Dim, Coils>;
  static constexpr int patches = Dim == 3 || column == 1 ? 8 : 2;
  static constexpr int sharing = warps / patches;  // number of warps that share a patch

  // A sample's window over the tile, and its values. Neighboring threads read records in pieces of 16 bytes. To avoid
  // conflicts of banks the length of a record is an odd number of pieces.
  static constexpr int value_place = Dim == 2 ? 2 * spread_tile : 2 * spread_tile + spread_planes<3>;
  static constexpr int piece = 16 / static_cast<int>(sizeof(Real));
  static constexpr int record = (divide_up(value_place + 2 * Coils, piece) | 1) * piece;

  alignas(16) Real records[batch * record];
  unsigned touched[batch];  // a bit for each coordinate under the window: x in the lower half, y in the upper
  unsigned short visits[warps][batch / sharing];  // the records that a warp adds: their places in pieces of 16 bytes
  SampleRanges ranges;

  __host__ __device__ static constexpr int coefficients_place() {
    return round_up(static_cast<int>(sizeof(SpreadMemory)), 16);
  }
  __device__ Real* coefficients() {
    return reinterpret_cast<Real*>(reinterpret_cast<char*>(this) + coefficients_place());
  }
};

/// Evaluates a sample's window along the axes and places it over a tile. Windows wrap around the end of the period,
/// several times if the grid is smaller than the window. Returns the touched points.
template <class Real, int Dim>
__device__ unsigned lay_windows(const GriddingTables<Real, Dim>& tables, const Real* coefficients,
                                const SortedSample<Real, Dim>& sample, const TileCorner& corner, Real* record) {
  constexpr int length[3] = {spread_tile, spread_tile, spread_planes<Dim>};
  constexpr int points = 2 * spread_tile + (Dim == 3 ? spread_planes<Dim> : 0);
#pragma unroll
  for (int i = 0; i < points * static_cast<int>(sizeof(Real)) / 16; ++i) {
    reinterpret_cast<float4*>(record)[i] = {0, 0, 0, 0};  // all bits zero, whatever the precision
  }
  const int stride = padded_width(tables.width);
  unsigned touched[3] = {0, 0, 1};
  if constexpr (Dim == 3) touched[2] = 0;
  int position[Dim];
#pragma unroll
  for (int axis = 0; axis < Dim; ++axis) position[axis] = sample.start[axis];
  for (int first = 0; first < tables.width; first += window_step) {
    const Real* row = coefficients + tables.degree * stride + first;
    Real value[Dim][window_step];
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) read_aligned(row, value[axis]);
    for (int n = tables.degree; n > 0; --n) {
      row -= stride;
      Real coefficient[window_step];
      read_aligned(row, coefficient);
#pragma unroll
      for (int axis = 0; axis < Dim; ++axis) {
#pragma unroll
        for (int l = 0; l < window_step; ++l) value[axis][l] = fma(value[axis][l], sample.u[axis], coefficient[l]);
      }
    }
#pragma unroll
    for (int axis = 0; axis < Dim; ++axis) {
      Real* const over = record + axis * spread_tile;
#pragma unroll
      for (int l = 0; l < window_step; ++l) {
        const unsigned point = static_cast<unsigned>(position[axis] - corner.point[axis]);
        if (point < static_cast<unsigned>(length[axis]) && first + l < tables.width) {
          const unsigned bit = 1U << point;
          over[point] = (touched[axis] & bit) != 0 ? over[point] + value[axis][l] : value[axis][l];
          touched[axis] |= bit;
        }
        if (++position[axis] == tables.bins.extent[axis]) position[axis] = 0;
      }
    }
  }
  return touched[2] == 0 ? 0 : touched[0] | touched[1] << 16;
}

/// Writes the window and the values of one sample, of up to Coils coils from `values` on, to a record. Returns the
/// points that its window touches.
template <class Real, int Dim, int Coils>
__device__ __forceinline__ unsigned stage_sample(const GriddingTables<Real, Dim>& tables, const Real* coefficients,
                                                 const SortedSample<Real, Dim>& sample, const TileCorner& corner,
                                                 const Complex2<Real>* values, int coils, Real* record) {
  using Complex = Complex2<Real>;
  const Complex* const from = values + sample.index;
  Complex value[Coils];
#pragma unroll
  for (int c = 0; c < Coils; ++c) value[c] = c < coils ? from[c * tables.sample_count] : Complex{0, 0};
  const unsigned touched = lay_windows(tables, coefficients, sample, corner, record);
  auto* const copy = reinterpret_cast<Complex*>(record + SpreadMemory<Real, Dim, Coils>::value_place);
#pragma unroll
  for (int c = 0; c < Coils; ++c) copy[c] = value[c];
  return touched;
}

/// The sums of one thread: a column of the tile for several coils, in registers. The columns of a warp are a patch.
template <class Real, int Dim, int Coils>
struct SpreadColumn {
  using Memory = SpreadMemory<Real, Dim, Coils>;
  using Complex = Complex2<Real>;
  static constexpr int points = Memory::column;
  static constexpr bool along_y = Dim == 2;  // otherwise along z

  int lane;
  int warp;
  int patch;  // patches follow each other along x, then along y; so do the columns of a patch
  int share;  // which share of a patch's samples this warp adds, if several warps have the same patch
  int x;      // of the column's first point, in the tile
  int y;
  Complex sum[Coils][points] = {};

  __device__ __forceinline__ explicit SpreadColumn(int thread)
      : lane(thread % 32),
        warp(thread / 32),
        patch(warp % Memory::patches),
        share(warp / Memory::patches),
        x(patch % 2 * 8 + lane % 8),
        y(Dim == 2 ? (patch / 2 * 4 + lane / 8) * points : patch / 2 * 4 + lane / 8) {}

  /// Lists the staged samples whose windows touch the patch; returns their number.
  __device__ __forceinline__ int list_visits(Memory& memory, int staged) const {
    const unsigned patch_x = 0xffU << patch % 2 * 8;
    const unsigned patch_y = Dim == 2 && points > 1 ? 0xffff0000U : 0xf0000U << patch / 2 * 4;
    int visits = 0;
    for (int first = share * 32; first < staged; first += Memory::sharing * 32) {
      const unsigned touched = memory.touched[first + lane];
      const bool visit = (touched & patch_x) != 0 && (touched & patch_y) != 0;
      const unsigned lanes = __ballot_sync(all_lanes, visit);
      if (visit) {
        memory.visits[warp][visits + __popc(lanes & ((1U << lane) - 1))] =
            static_cast<unsigned short>((first + lane) * (Memory::record / Memory::piece));
      }
      visits += __popc(lanes);
    }
    __syncwarp();
    return visits;
  }

  /// Adds the listed samples.
  __device__ __forceinline__ void add_samples(const Memory& memory, int visits) {
    const char* const records = reinterpret_cast<const char*>(memory.records);
    const int place_x = x * static_cast<int>(sizeof(Real));
    const int place_y = (spread_tile + y) * static_cast<int>(sizeof(Real));
    const int place_column = (along_y ? spread_tile + y : 2 * spread_tile) * static_cast<int>(sizeof(Real));
#pragma unroll 2
    for (int v = 0; v < visits; ++v) {
      const char* const record = records + memory.visits[warp][v] * 16;
      Real weight = *reinterpret_cast<const Real*>(record + place_x);
      if constexpr (Dim == 3) weight *= *reinterpret_cast<const Real*>(record + place_y);
      Real along[points];
      read_aligned(reinterpret_cast<const Real*>(record + place_column), along);
      if constexpr (points == 1) weight *= along[0];
      Complex value[Coils];
      read_aligned(reinterpret_cast<const Complex*>(record + Memory::value_place * sizeof(Real)), value);
#pragma unroll
      for (int c = 0; c < Coils; ++c) {
        if constexpr (points == 1) {
          sum[c][0].x = fma(weight, value[c].x, sum[c][0].x);
          sum[c][0].y = fma(weight, value[c].y, sum[c][0].y);
        } else {
          const Complex part_of_column = {weight * value[c].x, weight * value[c].y};
#pragma unroll
          for (int i = 0; i < points; ++i) {
            sum[c][i].x = fma(along[i], part_of_column.x, sum[c][i].x);
            sum[c][i].y = fma(along[i], part_of_column.y, sum[c][i].y);
          }
        }
      }
    }
  }

  /// Adds up the sums of the warps that share a patch, in their order. Returns whether this warp has the result.
  __device__ __forceinline__ bool add_shares(Memory& memory) {
    static_assert(Memory::warps * 32 * Coils * points * 2 <= Memory::batch * Memory::record);
    auto* const sums = reinterpret_cast<Complex*>(memory.records);  // [warp][coil][point of a column][lane]
    if (share > 0) {
#pragma unroll
      for (int i = 0; i < Coils * points; ++i) {
        sums[(warp * Coils * points + i) * 32 + lane] = sum[i / points][i % points];
      }
    }
    __syncthreads();
    if (share > 0) return false;
    for (int other = patch + Memory::patches; other < Memory::warps; other += Memory::patches) {
#pragma unroll
      for (int i = 0; i < Coils * points; ++i) {
        const Complex more = sums[(other * Coils * points + i) * 32 + lane];
        sum[i / points][i % points].x += more.x;
        sum[i / points][i % points].y += more.y;
      }
    }
    return true;
  }

  /// Writes the sums to a part of a cut tile, [coil][point of the tile].
  __device__ __forceinline__ void write_part(int coils, Complex* to) const {
    constexpr int tile_points = spread_tile * spread_tile * spread_planes<Dim>;
#pragma unroll
    for (int c = 0; c < Coils; ++c) {
#pragma unroll
      for (int i = 0; i < points; ++i) {
        const int row = along_y ? y + i : i * spread_tile + y;
        if (c < coils) to[c * tile_points + row * spread_tile + x] = sum[c][i];
      }
    }
  }

  /// Writes the sums of a whole tile to the grids from `grids` on.
  __device__ __forceinline__ void write_tile(const GriddingTables<Real, Dim>& tables, const TileCorner& corner,
                                             int coils, Complex* grids) const {
    const int grid_y = corner.point[1] + y;
    if (corner.point[0] + x >= tables.row || grid_y >= tables.bins.extent[1]) return;
    Complex* const to = grids + corner.point[2] * tables.plane + grid_y * tables.row + corner.point[0] + x;
    const long long next = along_y ? tables.row : tables.plane;
    const int inside = along_y ? tables.bins.extent[1] - grid_y : tables.bins.extent[2] - corner.point[2];
#pragma unroll
    for (int c = 0; c < Coils; ++c) {
#pragma unroll
      for (int i = 0; i < points; ++i) {
        if (c < coils && i < inside) to[c * tables.size + i * next] = sum[c][i];
      }
    }
  }
};

/// Spreads the samples of a tile, or of a part of one. Grid of blocks: (part, group of coils). `partial` is
/// [slot][coil][point of the tile]. The samples come in batches, one for each thread: it evaluates the window, then the
/// warps add what touches their patches.
template <class Real, int Dim, int Coils>
__global__ void __launch_bounds__(tuning::spread_threads, tuning::spread_blocks<Real, Dim, Coils>)
    spread_tiles(GriddingTables<Real, Dim> tables, const Complex2<Real>* __restrict__ values,
                 Complex2<Real>* __restrict__ grids, Complex2<Real>* __restrict__ partial, int batch) {
  using Memory = SpreadMemory<Real, Dim, Coils>;
  extern __shared__ __align__(16) unsigned char shared[];
  Memory& memory = *reinterpret_cast<Memory*>(shared);

  const TilePart part = tables.parts[blockIdx.x];
  const int first_coil = static_cast<int>(blockIdx.y) * Coils;
  const int coils = min(Coils, batch - first_coil);
  const int thread = static_cast<int>(threadIdx.x);
  SpreadColumn<Real, Dim, Coils> column(thread);

  int count = 0;
  SortedSample<Real, Dim> sample;  // this thread's sample of the next batch, read while the previous samples are added
  const auto read_sample = [&](int i) {
    if (i < count) sample = tables.samples[memory.ranges.place(part.part + part.parts * i)];
  };
  if (part.parts > 0) {
    copy_coefficients(tables, memory.coefficients());
    find_ranges(memory.ranges, tables.bins, tables.tiles, part.corner, tables.bin_first);
    count = divide_up(memory.ranges.samples() - part.part, part.parts);
    read_sample(thread);
  }
  for (int begin = 0; begin < count; begin += Memory::batch) {
    const int staged = min(Memory::batch, count - begin);
    unsigned touched = 0;
    if (thread < staged) {
      touched = stage_sample<Real, Dim, Coils>(tables, memory.coefficients(), sample, part.corner,
                                               values + first_coil * tables.sample_count, coils,
                                               memory.records + thread * Memory::record);
    }
    memory.touched[thread] = touched;
    read_sample(begin + Memory::batch + thread);
    __syncthreads();
    column.add_samples(memory, column.list_visits(memory, staged));
    __syncthreads();
  }
  if constexpr (Memory::sharing > 1) {
    if (!column.add_shares(memory)) return;
  }
  if (part.parts > 1) {
    constexpr int tile_points = spread_tile * spread_tile * spread_planes<Dim>;
    column.write_part(coils, partial + (static_cast<long long>(part.slot) * batch + first_coil) * tile_points);
  } else {
    column.write_tile(tables, part.corner, coils, grids + first_coil * tables.size);
  }
}

/// Adds all parts of the tiles that were cut, in double. Grid of blocks: (tile that was cut, coil).
/// The sums of the parts are read in their order.
template <class Real, int Dim>
__global__ void __launch_bounds__(spread_tile* spread_tile)
    add_parts(GriddingTables<Real, Dim> tables, const TilePart* __restrict__ cut_tiles,
              const Complex2<Real>* __restrict__ partial, Complex2<Real>* __restrict__ grids) {
  using Complex = Complex2<Real>;
  constexpr int tile_points = spread_tile * spread_tile * spread_planes<Dim>;
  const TilePart cut = cut_tiles[blockIdx.x];
  const int thread = static_cast<int>(threadIdx.x);
  const TileCorner& corner = cut.corner;
  const int x = corner.point[0] + thread % spread_tile;
  const int y = corner.point[1] + thread / spread_tile;
  if (x >= tables.row || y >= tables.bins.extent[1]) return;
  const long long next_part = static_cast<long long>(gridDim.y) * tile_points;
  for (int plane = 0; plane < spread_planes<Dim>; ++plane) {
    const int z = corner.point[2] + plane;
    if (z >= tables.bins.extent[2]) return;
    const Complex* from = partial + (static_cast<long long>(cut.slot) * gridDim.y + blockIdx.y) * tile_points +
                          plane * spread_tile * spread_tile + thread;
    double2 sum = {0, 0};
#pragma unroll 16
    for (int p = 0; p < cut.parts; ++p) {
      sum.x += static_cast<double>(from[p * next_part].x);
      sum.y += static_cast<double>(from[p * next_part].y);
    }
    grids[blockIdx.y * tables.size + z * tables.plane + y * tables.row + x] = {static_cast<Real>(sum.x),
                                                                               static_cast<Real>(sum.y)};
  }
}

}  // namespace whorl::backend::cuda
