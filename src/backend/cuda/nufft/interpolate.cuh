// Interpolation. For windows of usual width, a block copies a tile of the grid and its halo to shared memory, and each
// thread takes one sample, whose window values are in registers and serve all coils. For wider windows, a warp takes a
// sample, with lanes along x, and reads the grid directly, in rows that are long enough for that.
#pragma once

#include "backend/cuda/nufft/gridding_tables.cuh"
#include "backend/cuda/nufft/gridding_tuning.hpp"

namespace whorl::backend::cuda {

/// Points of an interpolation tile, without its halo: whole bins, as many as fit into shared memory.
template <class Real, int Dim>
struct InterpolationTile {
  static constexpr int x = 16;
  static constexpr int y = Dim == 2 || sizeof(Real) == 4 ? 16 : 8;
  static constexpr int z = Dim == 2 ? 1 : 8;
};

template <class Real, int Dim, int Width>
struct InterpolationMemory {
  using Tile = InterpolationTile<Real, Dim>;
  static constexpr int row = Tile::x + Width - 1;
  static constexpr int rows = Tile::y + Width - 1;
  static constexpr int planes = Dim == 2 ? 1 : Tile::z + Width - 1;
  static constexpr int points = row * rows * planes;

  alignas(16) Complex2<Real> point[points];
  SampleRanges ranges;

  __host__ __device__ static constexpr int coefficients_place() {
    return round_up(static_cast<int>(sizeof(InterpolationMemory)), 16);
  }
  __device__ Real* coefficients() {
    return reinterpret_cast<Real*>(reinterpret_cast<char*>(this) + coefficients_place());
  }
};

template <class Real, int Width>
__device__ void evaluate_window(const Real* coefficients, int degree, Real u, Real (&value)[Width]) {
  coefficients += degree * padded_width(Width);
#pragma unroll
  for (int l = 0; l < Width; ++l) value[l] = coefficients[l];
  for (int n = degree; n > 0; --n) {
    coefficients -= padded_width(Width);
#pragma unroll
    for (int l = 0; l < Width; ++l) value[l] = fma(value[l], u, coefficients[l]);
  }
}

/// Grid of blocks: (part, group of coils).
template <class Real, int Dim, int Width>
__global__ void __launch_bounds__(tuning::interpolate_threads)
    interpolate_tiles(GriddingTables<Real, Dim> tables, const Complex2<Real>* __restrict__ grids,
                      Complex2<Real>* __restrict__ values, int batch) {
  using Memory = InterpolationMemory<Real, Dim, Width>;
  using Complex = Complex2<Real>;
  extern __shared__ __align__(16) unsigned char shared[];
  Memory& memory = *reinterpret_cast<Memory*>(shared);

  const TilePart part = tables.parts[blockIdx.x];
  const int thread = static_cast<int>(threadIdx.x);
  const auto& corner = part.corner.point;
  copy_coefficients(tables, memory.coefficients());
  find_ranges(memory.ranges, tables.bins, tables.tiles, part.corner, tables.bin_first);

  // The samples of this part are consecutive in the tile's order of bins.
  const int samples = memory.ranges.samples();
  const int begin = static_cast<int>(static_cast<long long>(samples) * part.part / part.parts);
  const int end = static_cast<int>(static_cast<long long>(samples) * (part.part + 1) / part.parts);
  const bool busy = begin + thread < end;
  Real x[Width];
  Real y[Width];
  Real u_z = 0;
  int index = 0;
  const Complex* window = memory.point;
  if (busy) {
    const auto sample = tables.samples[memory.ranges.place(begin + thread)];
    evaluate_window<Real, Width>(memory.coefficients(), tables.degree, sample.u[0], x);
    evaluate_window<Real, Width>(memory.coefficients(), tables.degree, sample.u[1], y);
    window += (sample.start[1] - corner[1]) * Memory::row + sample.start[0] - corner[0];
    if constexpr (Dim == 3) {
      window += (sample.start[2] - corner[2]) * Memory::row * Memory::rows;
      u_z = sample.u[2];
    }
    index = sample.index;
  }

  const int first_coil = static_cast<int>(blockIdx.y) * tuning::interpolate_coils;
  const int last_coil = min(batch, first_coil + tuning::interpolate_coils);
  for (int coil = first_coil; coil < last_coil; ++coil) {
    const Complex* const grid = grids + coil * tables.size;
    __syncthreads();
    for (int p = thread; p < Memory::points; p += tuning::interpolate_threads) {
      int gx = corner[0] + p % Memory::row;
      int gy = corner[1] + p / Memory::row % Memory::rows;
      int gz = corner[2] + p / (Memory::row * Memory::rows);
      if (gx >= tables.bins.extent[0]) gx %= tables.bins.extent[0];
      if (gy >= tables.bins.extent[1]) gy %= tables.bins.extent[1];
      if (gz >= tables.bins.extent[2]) gz %= tables.bins.extent[2];
      memory.point[p] = grid[gz * tables.plane + gy * tables.row + gx];
    }
    __syncthreads();
    if (!busy) continue;
    Complex sum = {0, 0};
    for (int z = 0; z < (Dim == 2 ? 1 : Width); ++z) {
      Real weight = 1;
      if constexpr (Dim == 3) {
        const Real* coefficient = memory.coefficients() + tables.degree * padded_width(Width) + z;
        weight = *coefficient;
        for (int n = tables.degree; n > 0; --n) weight = fma(weight, u_z, *(coefficient -= padded_width(Width)));
      }
      Complex plane_sum = {0, 0};
#pragma unroll
      for (int m = 0; m < Width; ++m) {
        Complex row_sum = {0, 0};
#pragma unroll
        for (int l = 0; l < Width; ++l) {
          const Complex point = window[(z * Memory::rows + m) * Memory::row + l];
          row_sum.x = fma(x[l], point.x, row_sum.x);
          row_sum.y = fma(x[l], point.y, row_sum.y);
        }
        plane_sum.x = fma(y[m], row_sum.x, plane_sum.x);
        plane_sum.y = fma(y[m], row_sum.y, plane_sum.y);
      }
      sum.x = fma(weight, plane_sum.x, sum.x);
      sum.y = fma(weight, plane_sum.y, sum.y);
    }
    values[coil * tables.sample_count + index] = sum;
  }
}

/// A warp for each sample, in the order of the bins, for any width. In shared memory: [warp][axis][width].
template <class Real, int Dim>
__global__ void __launch_bounds__(tuning::interpolate_threads)
    interpolate_wide(GriddingTables<Real, Dim> tables, const Complex2<Real>* __restrict__ grids,
                     Complex2<Real>* __restrict__ values, int batch) {
  using Complex = Complex2<Real>;
  extern __shared__ __align__(16) unsigned char shared[];
  const int width = tables.width;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const long long place = static_cast<long long>(blockIdx.x) * (tuning::interpolate_threads / 32) + warp;
  if (place >= tables.sample_count) return;  // the whole warp returns; blocks are not synchronized below
  const auto sample = tables.samples[place];
  Real* const window = reinterpret_cast<Real*>(shared) + warp * Dim * width;
  for (int i = lane; i < Dim * width; i += 32) {
    const int axis = i / width;
    Real u = sample.u[0];
#pragma unroll
    for (int a = 1; a < Dim; ++a) {
      if (axis == a) u = sample.u[a];
    }
    const Real* coefficient = tables.coefficients + tables.degree * padded_width(width) + i % width;
    Real value = *coefficient;
    for (int n = tables.degree; n > 0; --n) value = fma(value, u, *(coefficient -= padded_width(width)));
    window[i] = value;
  }
  __syncwarp();

  const int rows_at_once = max(1, 32 / width);
  const int first_row = lane / width;
  const bool busy = width > 32 || first_row < rows_at_once;
  for (int coil = 0; coil < batch; ++coil) {
    const Complex* const grid = grids + coil * tables.size;
    Complex sum = {0, 0};
    for (int l = width > 32 ? lane : lane % width; busy && l < width; l += 32) {
      int gx = sample.start[0] + l;
      if (gx >= tables.bins.extent[0]) gx %= tables.bins.extent[0];
      Complex along_x = {0, 0};
      for (int n = 0; n < (Dim == 2 ? 1 : width); ++n) {
        Real along_z = 1;
        const Complex* plane = grid + gx;
        if constexpr (Dim == 3) {
          int gz = sample.start[2] + n;
          if (gz >= tables.bins.extent[2]) gz %= tables.bins.extent[2];
          along_z = window[2 * width + n];
          plane += gz * tables.plane;
        }
        Complex plane_sum = {0, 0};
#pragma unroll 4
        for (int m = width > 32 ? 0 : first_row; m < width; m += rows_at_once) {
          int gy = sample.start[1] + m;
          if (gy >= tables.bins.extent[1]) gy %= tables.bins.extent[1];
          const Complex point = plane[gy * tables.row];
          const Real weight = window[width + m];
          plane_sum.x = fma(weight, point.x, plane_sum.x);
          plane_sum.y = fma(weight, point.y, plane_sum.y);
        }
        along_x.x = fma(along_z, plane_sum.x, along_x.x);
        along_x.y = fma(along_z, plane_sum.y, along_x.y);
      }
      sum.x = fma(window[l], along_x.x, sum.x);
      sum.y = fma(window[l], along_x.y, sum.y);
    }
    for (int step = 16; step > 0; step /= 2) {
      sum.x += __shfl_xor_sync(0xffffffffU, sum.x, step);
      sum.y += __shfl_xor_sync(0xffffffffU, sum.y, step);
    }
    if (lane == 0) values[coil * tables.sample_count + sample.index] = sum;
  }
}

}  // namespace whorl::backend::cuda
