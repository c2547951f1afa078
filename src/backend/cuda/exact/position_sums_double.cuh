// Sums over terms of weight exp(2 pi i k.r) in double.
#pragma once

#include "backend/cuda/exact/position_dft_tuning.hpp"
#include "backend/cuda/exact/position_job.cuh"
#include "backend/cuda/exact/unit_phase.cuh"

namespace whorl::backend::cuda {

/// Blocks [lanes, parts of the terms, groups of coils].
template <int kCoils>
__global__ void __launch_bounds__(tuning::position_threads) position_sums_double(const PositionJob<double> job) {
  constexpr int lanes = tuning::position_lanes_double;
  constexpr int chunk = tuning::position_chunk;
  __shared__ double points[3][chunk];
  __shared__ double2 weights[kCoils][chunk];
  const int first_lane = blockIdx.x * tuning::position_threads * lanes + threadIdx.x;
  const int first_coil = blockIdx.z * kCoils;
  double r[3][lanes];
#pragma unroll
  for (int v = 0; v < lanes; ++v) {
    const int lane = min(first_lane + v * tuning::position_threads, job.lanes.count - 1);
    for (int axis = 0; axis < 3; ++axis) r[axis][v] = job.lanes.at(axis, lane);
  }
  double2 totals[kCoils][lanes] = {};
  const int begin = blockIdx.y * job.terms_per_part;
  const int end = min(job.terms.count, begin + job.terms_per_part);
  for (int term = begin; term < end; term += chunk) {
    const int count = min(chunk, end - term);
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += tuning::position_threads) {
      for (int axis = 0; axis < 3; ++axis) points[axis][i] = job.terms.at(axis, term + i);
      for (int c = 0; c < kCoils; ++c) weights[c][i] = job.weight(first_coil + c, term + i);
    }
    __syncthreads();
#pragma unroll 1
    for (int i = 0; i < count; ++i) {
#pragma unroll
      for (int v = 0; v < lanes; ++v) {
        double turns = 0;
        for (int axis = 0; axis < 3; ++axis) turns += turn_fraction(points[axis][i], r[axis][v]);
        const double2 e = unit_phase(turns);
#pragma unroll
        for (int c = 0; c < kCoils; ++c) totals[c][v] = multiply_add(weights[c][i], e, totals[c][v]);
      }
    }
  }
#pragma unroll
  for (int c = 0; c < kCoils; ++c) {
#pragma unroll
    for (int v = 0; v < lanes; ++v) {
      job.write(first_coil + c, first_lane + v * tuning::position_threads, totals[c][v]);
    }
  }
}

}  // namespace whorl::backend::cuda
