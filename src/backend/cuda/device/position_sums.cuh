// Sums over terms of weight exp(2 pi i k.r), for lanes and terms that are positions and samples or the other way round.
#pragma once

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/device/unit_phase.cuh"
#include "backend/cuda/tuning/position_dft.hpp"

namespace whorl::backend::cuda {

/// Points [x, y, z][count], the axes that there are not zero.
struct PointPlanes {
  const double* data;
  int count;
  __device__ double at(int axis, int i) const { return data[static_cast<long long>(axis) * count + i]; }
};

template <class Real>
struct PositionSums {
  PointPlanes lanes;
  PointPlanes terms;
  const Complex2<Real>* weights;  ///< [batch][term]
  int batch;
  int chunks_per_part;            ///< of terms; blockIdx.y is the part
  bool conjugate;                 ///< exp(-2 pi i k.r) instead
  Complex2<Real>* sums;           ///< [batch][lane] where there is one part,
  double2* partial;               ///< [part][batch][lane] where there are more
};

/// A chunk of terms in shared memory. What belongs to one term is read together, 16 bytes at a time.
template <class Real, int kCoils>
struct TermChunk {
  double2 xy[tuning::position_chunk];
  double2 z[tuning::position_chunk];  ///< for float, y holds the bits of the first weight
  Complex2<Real> weights[sizeof(Real) == 4 ? kCoils - 1 + (kCoils == 1) : kCoils][tuning::position_chunk];
};

template <class Real, int kCoils>
__device__ void load_chunk(const PositionSums<Real>& job, int first_term, int first_coil,
                           TermChunk<Real, kCoils>& chunk) {
  for (int i = threadIdx.x; i < tuning::position_chunk; i += tuning::position_threads) {
    const int term = first_term + i;
    const bool there = term < job.terms.count;
    chunk.xy[i] = there ? double2{job.terms.at(0, term), job.terms.at(1, term)} : double2{};
    double2 z{there ? job.terms.at(2, term) : 0, 0};
    for (int c = 0; c < kCoils; ++c) {
      const bool wanted = there && first_coil + c < job.batch;
      Complex2<Real> w{};
      if (wanted) w = job.weights[static_cast<long long>(first_coil + c) * job.terms.count + term];
      if (job.conjugate) w.y = -w.y;
      if constexpr (sizeof(Real) == 8) {
        chunk.weights[c][i] = w;
      } else if (c == 0) {
        z.y = __hiloint2double(__float_as_int(w.y), __float_as_int(w.x));
      } else {
        chunk.weights[c - 1][i] = w;
      }
    }
    chunk.z[i] = z;
  }
}

/// Adds one term to the sums of all lanes of a thread.
template <SineFrom kFrom, int kCoils, int kLanes>
__device__ inline void add_term(const TermChunk<float, kCoils>& chunk, int i, const double (&r)[3][kLanes],
                                float2 (&sums)[kCoils][kLanes]) {
  const double2 xy = chunk.xy[i];
  const double2 z = chunk.z[i];
  float2 w[kCoils];
  w[0] = {__int_as_float(__double2loint(z.y)), __int_as_float(__double2hiint(z.y))};
#pragma unroll
  for (int c = 1; c < kCoils; ++c) w[c] = chunk.weights[c - 1][i];
#pragma unroll
  for (int v = 0; v < kLanes; ++v) {
    const float2 e = unit_phase<kFrom>(fraction_and_three_halves(xy.x, xy.y, z.x, r[0][v], r[1][v], r[2][v]));
#pragma unroll
    for (int c = 0; c < kCoils; ++c) sums[c][v] = multiply_add(w[c], e, sums[c][v]);
  }
}

template <int kCoils, int kLanes>
__device__ inline void add_chunk(const TermChunk<float, kCoils>& chunk, const double (&r)[3][kLanes],
                                 double2 (&totals)[kCoils][kLanes]) {
  float2 sums[kCoils][kLanes] = {};
#pragma unroll 1
  for (int i = 0; i < tuning::position_chunk; i += tuning::polynomial_period) {
#pragma unroll
    for (int step = 0; step + 1 < tuning::polynomial_period; ++step) {
      add_term<SineFrom::special_function_unit>(chunk, i + step, r, sums);
    }
    add_term<SineFrom::polynomial>(chunk, i + tuning::polynomial_period - 1, r, sums);
  }
#pragma unroll
  for (int c = 0; c < kCoils; ++c) {
#pragma unroll
    for (int v = 0; v < kLanes; ++v) {
      totals[c][v].x += sums[c][v].x;
      totals[c][v].y += sums[c][v].y;
    }
  }
}

template <int kCoils, int kLanes>
__device__ inline void add_chunk(const TermChunk<double, kCoils>& chunk, const double (&r)[3][kLanes],
                                 double2 (&totals)[kCoils][kLanes]) {
#pragma unroll 1
  for (int i = 0; i < tuning::position_chunk; ++i) {
    const double2 xy = chunk.xy[i];
    const double z = chunk.z[i].x;
#pragma unroll
    for (int v = 0; v < kLanes; ++v) {
      const double turns = turn_fraction(xy.x, r[0][v]) + turn_fraction(xy.y, r[1][v]) + turn_fraction(z, r[2][v]);
      const double2 e = unit_phase(turns);
#pragma unroll
      for (int c = 0; c < kCoils; ++c) totals[c][v] = multiply_add(chunk.weights[c][i], e, totals[c][v]);
    }
  }
}

/// Blocks [lanes, parts, groups of coils].
template <class Real, int kCoils>
__global__ void __launch_bounds__(tuning::position_threads, tuning::position_blocks) position_sums(const PositionSums<Real> job) {
  constexpr int lanes = tuning::position_lanes<Real, kCoils>;
  __shared__ TermChunk<Real, kCoils> chunk;
  const int first_lane = blockIdx.x * tuning::position_threads * lanes + threadIdx.x;
  const int first_coil = blockIdx.z * kCoils;
  double r[3][lanes];
#pragma unroll
  for (int v = 0; v < lanes; ++v) {
    const int lane = min(first_lane + v * tuning::position_threads, job.lanes.count - 1);
    for (int axis = 0; axis < 3; ++axis) r[axis][v] = job.lanes.at(axis, lane);
  }
  double2 totals[kCoils][lanes] = {};
  const int terms_per_part = job.chunks_per_part * tuning::position_chunk;
  const int begin = blockIdx.y * terms_per_part;
  const int end = min(job.terms.count, begin + terms_per_part);
  for (int term = begin; term < end; term += tuning::position_chunk) {
    __syncthreads();
    load_chunk(job, term, first_coil, chunk);
    __syncthreads();
    add_chunk(chunk, r, totals);
  }
#pragma unroll
  for (int c = 0; c < kCoils; ++c) {
    if (first_coil + c >= job.batch) break;
#pragma unroll
    for (int v = 0; v < lanes; ++v) {
      const int lane = first_lane + v * tuning::position_threads;
      if (lane >= job.lanes.count) continue;
      double2 total = totals[c][v];
      if (job.conjugate) total.y = -total.y;
      const long long at = static_cast<long long>(first_coil + c) * job.lanes.count + lane;
      if (gridDim.y == 1) {
        job.sums[at] = {static_cast<Real>(total.x), static_cast<Real>(total.y)};
      } else {
        job.partial[static_cast<long long>(blockIdx.y) * job.batch * job.lanes.count + at] = total;
      }
    }
  }
}

}  // namespace whorl::backend::cuda
