// Steps 12 and 13, tensor cores: the same product in pieces of 16 x 16 x 8 that a warp multiplies at once, of numbers
// with 11 bits (TF32), summed in single precision. With each number as the sum of two such halves, of which three of
// four products count, the bits of single precision are back, for three times the work. A complex product is four real
// ones. The units round sums toward zero; so that the loss does not add up, they are handed over to ordinary additions
// from time to time. Needs compute capability 8.0.
#pragma once

#include <mma.h>

#include "studies/fhd/gpu/phase_tables.cuh"

namespace whorl::studies::fhd::gpu {

inline constexpr int tensor_threads = 128;
/// Samples between two hand-overs; the length of tables is a multiple of it.
inline constexpr int tensor_batch = 256;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace wmma = nvcuda::wmma;

using LineFragment = wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::col_major>;
using PlaceFragment = wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major>;
using SumFragment = wmma::fragment<wmma::accumulator, 16, 16, 8, float>;

/// A number as TF32, and the remainder.
template <class Fragment>
struct Halves {
  Fragment large;
  Fragment small;

  __device__ void load(const float* from) {
    wmma::load_matrix_sync(large, from, tile_stride);
#pragma unroll
    for (int i = 0; i < large.num_elements; ++i) {
      const float value = large.x[i];
      large.x[i] = wmma::__float_to_tf32(value);
      small.x[i] = wmma::__float_to_tf32(value - large.x[i]);
    }
  }

  __device__ Halves negative() const {
    Halves result;
#pragma unroll
    for (int i = 0; i < large.num_elements; ++i) {
      result.large.x[i] = -large.x[i];
      result.small.x[i] = -small.x[i];
    }
    return result;
  }
};

template <bool kSplit>
__device__ void multiply(const Halves<LineFragment>& a, const Halves<PlaceFragment>& b, SumFragment& sum) {
  if constexpr (kSplit) {
    wmma::mma_sync(sum, a.small, b.large, sum);
    wmma::mma_sync(sum, a.large, b.small, sum);
  }
  wmma::mma_sync(sum, a.large, b.large, sum);
}

#endif

/// A block has a tile of 64 x 64 voxels, each of its four warps 32 x 32, in four pieces.
template <bool kSplit>
__global__ void __launch_bounds__(tensor_threads) tensor_cores(PhaseTables tables, TiledSums sums) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  constexpr int piece = 16;
  constexpr int piece_depth = 8;
  __shared__ Factors factors;
  const int warp = threadIdx.x / 32;
  const int row = warp / 2 * 2 * piece;
  const int column = warp % 2 * 2 * piece;
  SumFragment total[2][2][2];  // [row, column, real and imaginary]
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    wmma::fill_fragment(total[i / 2][i % 2][0], 0);
    wmma::fill_fragment(total[i / 2][i % 2][1], 0);
  }
  for (int batch = 0; batch < tables.samples; batch += tensor_batch) {
    SumFragment real[2][2], imag[2][2];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      wmma::fill_fragment(real[i / 2][i % 2], 0);
      wmma::fill_fragment(imag[i / 2][i % 2], 0);
    }
    for (int first = batch; first < batch + tensor_batch; first += depth) {
      fill_factors(tables, first, factors);
      __syncthreads();
#pragma unroll
      for (int d = 0; d < depth; d += piece_depth) {
        Halves<PlaceFragment> cosine[2], sine[2];
#pragma unroll
        for (int c = 0; c < 2; ++c) {
          cosine[c].load(&factors.x_real[d][column + c * piece]);
          sine[c].load(&factors.x_imag[d][column + c * piece]);
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
          Halves<LineFragment> a, b;
          a.load(&factors.line_real[d][row + r * piece]);
          b.load(&factors.line_imag[d][row + r * piece]);
          const Halves<LineFragment> minus_b = b.negative();
#pragma unroll
          for (int c = 0; c < 2; ++c) {
            multiply<kSplit>(a, cosine[c], real[r][c]);
            multiply<kSplit>(minus_b, sine[c], real[r][c]);
            multiply<kSplit>(b, cosine[c], imag[r][c]);
            multiply<kSplit>(a, sine[c], imag[r][c]);
          }
        }
      }
      __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int e = 0; e < real[0][0].num_elements; ++e) {
        total[i / 2][i % 2][0].x[e] += real[i / 2][i % 2].x[e];
        total[i / 2][i % 2][1].x[e] += imag[i / 2][i % 2].x[e];
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const Index line = Index{blockIdx.y} * tile + row + i / 2 * piece;
    const Index to = line * tables.width + blockIdx.x * tile + column + i % 2 * piece;
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      float* const memory = (part == 0 ? sums.real : sums.imag) + to;
      SumFragment before;
      wmma::load_matrix_sync(before, memory, tables.width, wmma::mem_row_major);
#pragma unroll
      for (int e = 0; e < before.num_elements; ++e) before.x[e] += total[i / 2][i % 2][part].x[e];
      wmma::store_matrix_sync(memory, before, tables.width, wmma::mem_row_major);
    }
  }
#endif
}

}  // namespace whorl::studies::fhd::gpu
