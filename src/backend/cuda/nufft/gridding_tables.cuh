// The tables of a plan that spreading and interpolation read, and the window's coefficients in shared memory.
#pragma once

#include <cstring>
#include <type_traits>

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/nufft/sample_ranges.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

/// The tables of a plan, as an argument of kernels.
template <class Real, int Dim>
struct GriddingTables {
  const SortedSample<Real, Dim>* samples;
  const int* bin_first;      // [bins + 1]
  const Real* coefficients;  // [degree + 1][padded_width(width)]
  int width;
  int degree;
  BinGrid bins;
  TileGrid tiles;
  const TilePart* parts;
  long long row;  // elements of the grid
  long long plane;
  long long size;  // of one coil's grid
  long long sample_count;
};

/// Window values that are evaluated at a time; rows of coefficients are padded with zeros to a multiple.
inline constexpr int window_step = 4;
__host__ __device__ constexpr int padded_width(int width) { return round_up(width, window_step); }

/// 16 bytes of numbers, which are read from shared memory at once.
template <class T>
using Piece = std::conditional_t<std::is_same_v<T, float> || std::is_same_v<T, float2>, float4, double2>;

/// Reads in pieces of 16 bytes if they divide the array.
template <class T, int Count>
__device__ inline void read_aligned(const T* from, T (&to)[Count]) {
  constexpr int bytes = Count * static_cast<int>(sizeof(T));
  if constexpr (bytes % 16 == 0) {
#pragma unroll
    for (int i = 0; i < bytes / 16; ++i) {
      // Numbers that are not kept in registers lie anywhere.
      const Piece<T> piece = reinterpret_cast<const Piece<T>*>(from)[i];
      memcpy(to + i * (16 / static_cast<int>(sizeof(T))), &piece, sizeof piece);
    }
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) to[i] = from[i];
  }
}

/// All threads of a block call it; the block is not synchronized on return.
template <class Real, int Dim>
__device__ inline void copy_coefficients(const GriddingTables<Real, Dim>& tables, Real* to) {
  const int count = (tables.degree + 1) * padded_width(tables.width);
  for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x)) {
    to[i] = tables.coefficients[i];
  }
}

}  // namespace whorl::backend::cuda
