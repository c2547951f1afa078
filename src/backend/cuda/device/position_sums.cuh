// Sums over terms of weight exp(2 pi i k.r) in float, for lanes and terms that are positions and samples or the other
// way round.
//
// The tensor cores for double precision make the phases, of 8 lanes and 8 terms at a time: a product of matrices with
// the columns x, y, z, 1 and the rows kx, ky, kz, turn_shift. Each thread of a warp then holds one lane and two of the
// eight terms, so that four threads share the sum of a lane.
#pragma once

#include "backend/cuda/device/mma.cuh"
#include "backend/cuda/device/position_job.cuh"
#include "backend/cuda/device/unit_phase.cuh"
#include "backend/cuda/tuning/position_dft.hpp"

namespace whorl::backend::cuda {

/// A chunk of terms in shared memory.
template <int kCoils>
struct TermChunk {
  double points[tuning::position_chunk / 8][32];  ///< kx, ky, kz, turn_shift of term lane / 4, by lane % 4
  float2 weights[kCoils][tuning::position_chunk];
};

template <int kCoils>
__device__ void load_chunk(const PositionJob<float>& job, int first_term, int first_coil, TermChunk<kCoils>& chunk) {
  for (int i = threadIdx.x; i < 4 * tuning::position_chunk; i += tuning::position_threads) {
    const int axis = i / tuning::position_chunk;
    const int place = i % tuning::position_chunk;
    const int term = first_term + place;
    double value = turn_shift;
    if (axis < 3) value = term < job.terms.count ? job.terms.at(axis, term) : 0;
    chunk.points[place / 8][place % 8 * 4 + axis] = value;
  }
  for (int i = threadIdx.x; i < kCoils * tuning::position_chunk; i += tuning::position_threads) {
    const int coil = i / tuning::position_chunk;
    const int place = i % tuning::position_chunk;
    chunk.weights[coil][place] = job.weight(first_coil + coil, first_term + place);
  }
}

/// Sums over a chunk, of this thread's terms: four threads in a row have the same lanes.
template <int kCoils, int kTiles>
__device__ inline void add_chunk(const TermChunk<kCoils>& chunk, const double (&points)[kTiles],
                                 float2 (&sums)[kCoils][kTiles]) {
  const int lane = threadIdx.x % 32;
  const FractionBits fraction;
#pragma unroll 1
  for (int block = 0; block < tuning::position_chunk / 8; ++block) {
    const double terms = chunk.points[block][lane];
    float2 weights[kCoils][2];
#pragma unroll
    for (int c = 0; c < kCoils; ++c) {
      const float4 both = *reinterpret_cast<const float4*>(&chunk.weights[c][block * 8 + lane % 4 * 2]);
      weights[c][0] = {both.x, both.y};
      weights[c][1] = {both.z, both.w};
    }
#pragma unroll
    for (int tile = 0; tile < kTiles; ++tile) {
      double shifted[2] = {};
      multiply_add_tile(shifted, points[tile], terms);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        const float f = fraction.and_three_halves(shifted[n]);
        constexpr int period = tuning::polynomial_period;
        const float2 e = (2 * tile + n) % period == period - 1 ? unit_phase<SineFrom::polynomial>(f)
                                                               : unit_phase<SineFrom::special_function_unit>(f);
#pragma unroll
        for (int c = 0; c < kCoils; ++c) sums[c][tile] = multiply_add(weights[c][n], e, sums[c][tile]);
      }
    }
  }
}

/// Blocks [lanes, parts of the terms, groups of coils].
template <int kCoils>
__global__ void __launch_bounds__(tuning::position_threads, tuning::position_blocks<kCoils>)
    position_sums(const PositionJob<float> job) {
  constexpr int tiles = tuning::position_tiles<kCoils>;
  __shared__ TermChunk<kCoils> chunk;
  const int lane = threadIdx.x % 32;
  const int first = (blockIdx.x * (tuning::position_threads / 32) + threadIdx.x / 32) * 8 * tiles;
  const int first_coil = blockIdx.z * kCoils;
  double points[tiles];
#pragma unroll
  for (int tile = 0; tile < tiles; ++tile) {
    const int place = min(first + tile * 8 + lane / 4, job.lanes.count - 1);
    points[tile] = lane % 4 < 3 ? job.lanes.at(lane % 4, place) : 1.0;
  }
  // Of four tiles, this thread has the total of the one whose number is that of the thread among the four.
  double2 totals[kCoils][tiles / 4] = {};
  const int begin = blockIdx.y * job.terms_per_part;
  const int end = min(job.terms.count, begin + job.terms_per_part);
  for (int term = begin; term < end; term += tuning::position_chunk) {
    __syncthreads();
    load_chunk(job, term, first_coil, chunk);
    __syncthreads();
    float2 sums[kCoils][tiles] = {};
    add_chunk(chunk, points, sums);
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
