// Sums over terms of weight exp(2 pi i k.r) in float, for lanes and terms that are positions and samples or the other
// way round.
//
// The tensor cores for double precision make the phases of 8 lanes and 8 terms at a time: a product of matrices with
// the columns x, y, z, 1 and the rows kx, ky, kz, turn_shift. Each thread of a warp then holds one lane and two of the
// eight terms, so that four threads share the sum of a lane. If there is only one coil, the phase of its weight joins
// the last row, so that only a real factor is left.
#pragma once

#include <type_traits>

#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/exact/position_dft_tuning.hpp"
#include "backend/cuda/exact/position_job.cuh"
#include "backend/cuda/exact/unit_phase.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

template <int kCoils>
using TermWeight = std::conditional_t<kCoils == 1, float, float2>;

/// The terms, padded with weights of zero to a multiple of position_chunk.
template <int kCoils>
struct TermTable {
  double* points;               ///< [8 terms][term][kx, ky, kz, last row]
  TermWeight<kCoils>* weights;  ///< [coil][padded], coils padded to a multiple of kCoils
  int padded;
};

// The errors of sines and cosines in single precision have a mean over all phases of about 5e-8. In a sum it grows with
// the number of terms, while the sum of random terms grows with its root. Therefore half of the terms, without a
// pattern, are turned by half a turn and their weights negated.
__device__ inline bool is_turned(int term) { return __popc(term) % 2 == 1; }

template <int kCoils>
__global__ void make_terms(const PositionJob<float> job, const TermTable<kCoils> table) {
  const int coils = round_up(job.batch, kCoils);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < table.padded; i += gridDim.x * blockDim.x) {
    double* const point = table.points + Index{i} * 4;
    for (int axis = 0; axis < 3; ++axis) point[axis] = i < job.terms.count ? job.terms.at(axis, i) : 0;
    const float sign = is_turned(i) ? -1 : 1;
    point[3] = turn_shift + (is_turned(i) ? 0.5 : 0.0);
    if constexpr (kCoils == 1) {
      const float2 w = job.weight(0, i);
      point[3] += 0.15915494309189535 * atan2f(w.y, w.x);
      table.weights[i] = sign * hypotf(w.x, w.y);
    } else {
      for (int c = 0; c < coils; ++c) {
        const float2 w = job.weight(c, i);
        table.weights[Index{c} * table.padded + i] = {sign * w.x, sign * w.y};
      }
    }
  }
}

/// A chunk of terms in shared memory.
template <int kCoils>
struct TermChunk {
  double points[tuning::position_chunk / 8][32];
  TermWeight<kCoils> weights[kCoils][tuning::position_chunk];
};

template <int kCoils>
__device__ inline void copy_chunk(const TermTable<kCoils>& table, int first_term, int first_coil,
                                  TermChunk<kCoils>& chunk) {
  constexpr int points_at_once = 16 / sizeof(double);
  constexpr int points = 4 * tuning::position_chunk;
  const double* const from = table.points + Index{first_term} * 4;
#pragma unroll
  for (int i = threadIdx.x * points_at_once; i < points; i += tuning::position_threads * points_at_once) {
    copy_16_bytes(&chunk.points[0][0] + i, from + i);
  }
  constexpr int weights_at_once = 16 / sizeof(TermWeight<kCoils>);
#pragma unroll
  for (int c = 0; c < kCoils; ++c) {
    const auto* const weights = table.weights + Index{first_coil + c} * table.padded + first_term;
    for (int i = threadIdx.x * weights_at_once; i < tuning::position_chunk;
         i += tuning::position_threads * weights_at_once) {
      copy_16_bytes(&chunk.weights[c][i], weights + i);
    }
  }
  close_copy_group();
}

__device__ inline float2 add_weighted(float weight, float2 e, float2 sum) {
  return {fmaf(weight, e.x, sum.x), fmaf(weight, e.y, sum.y)};
}
__device__ inline float2 add_weighted(float2 weight, float2 e, float2 sum) { return multiply_add(weight, e, sum); }

/// Sums of this thread's terms over a chunk; four consecutive threads have the same lanes.
template <int kCoils, int kTiles>
__device__ inline void add_chunk(const TermChunk<kCoils>& chunk, const FractionBits& fraction,
                                 const double (&points)[kTiles], float2 (&sums)[kCoils][kTiles]) {
  const int lane = threadIdx.x % 32;
#pragma unroll 2
  for (int block = 0; block < tuning::position_chunk / 8; ++block) {
    const double terms = chunk.points[block][lane];
    struct alignas(2 * sizeof(TermWeight<kCoils>)) TwoWeights {
      TermWeight<kCoils> of[2];
    };
    TwoWeights weights[kCoils];
#pragma unroll
    for (int c = 0; c < kCoils; ++c) {
      weights[c] = *reinterpret_cast<const TwoWeights*>(&chunk.weights[c][block * 8 + lane % 4 * 2]);
    }
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      double shifted[2] = {};
      multiply_add_tile(shifted, points[tile], terms);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const float f = fraction.and_three_halves(shifted[n]);
        constexpr int period = tuning::polynomial_period<kCoils>;
        const float2 e = (2 * tile + n) % period == period - 1 ? unit_phase<SineFrom::polynomial>(f)
                                                               : unit_phase<SineFrom::special_function_unit>(f);
#pragma unroll
        for (int c = 0; c < kCoils; ++c) sums[c][tile] = add_weighted(weights[c].of[n], e, sums[c][tile]);
      }
    }
  }
}

/// Blocks [lanes, parts of the terms, groups of coils].
template <int kCoils>
__global__ void __launch_bounds__(tuning::position_threads, tuning::position_blocks)
    position_sums(const PositionJob<float> job, const TermTable<kCoils> table) {
  constexpr int tiles = tuning::position_tiles<kCoils>;
  __shared__ __align__(16) TermChunk<kCoils> chunks[2];
  const int lane = threadIdx.x % 32;
  const int first = (blockIdx.x * (tuning::position_threads / 32) + threadIdx.x / 32) * 8 * tiles;
  const int first_coil = blockIdx.z * kCoils;
  const int begin = blockIdx.y * job.terms_per_part;
  const int end = min(table.padded, begin + job.terms_per_part);
  if (begin < end) copy_chunk(table, begin, first_coil, chunks[0]);
  double points[tiles];
#pragma unroll
  for (int tile = 0; tile < tiles; ++tile) {
    const int place = min(first + tile * 8 + lane / 4, job.lanes.count - 1);
    points[tile] = lane % 4 < 3 ? job.lanes.at(lane % 4, place) : 1.0;
  }
  const FractionBits fraction;
  // The four threads of a lane keep the total of one tile each, of every four tiles.
  double2 totals[kCoils][tiles / 4] = {};
  int now = 0;
  for (int term = begin; term < end; term += tuning::position_chunk) {
    wait_for_copies<0>();
    __syncthreads();
    const int next = term + tuning::position_chunk;
    if (next < end) copy_chunk(table, next, first_coil, chunks[1 - now]);
    float2 sums[kCoils][tiles] = {};
    add_chunk(chunks[now], fraction, points, sums);
    now = 1 - now;
#pragma unroll
    for (int c = 0; c < kCoils; ++c) {
#pragma unroll
      for (int tile = 0; tile < tiles; ++tile) {
        float2 sum = sums[c][tile];
        for (int other = 1; other < 4; other *= 2) {
          sum.x += __shfl_xor_sync(0xffffffff, sum.x, other);
          sum.y += __shfl_xor_sync(0xffffffff, sum.y, other);
        }
        if (lane % 4 == tile % 4) {
          totals[c][tile / 4].x += sum.x;
          totals[c][tile / 4].y += sum.y;
        }
      }
    }
  }
#pragma unroll
  for (int c = 0; c < kCoils; ++c) {
#pragma unroll
    for (int tile = 0; tile < tiles / 4; ++tile) {
      job.write(first_coil + c, first + (4 * tile + lane % 4) * 8 + lane / 4, totals[c][tile]);
    }
  }
}

}  // namespace whorl::backend::cuda
