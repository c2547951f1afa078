// The ways to compute the window's values, as a parameter of kernels.
//
// Constant memory serves one address to all threads of a warp at once, but different addresses one after the other, and
// the distances to 32 points differ. Shared memory serves 32 different words at once if they are in different banks.
#pragma once

#include "backend/cuda/runtime.hpp"
#include "studies/gridding_2d/gpu/common.cuh"
#include "studies/gridding_2d/scan.hpp"

namespace whorl::studies::gridding_2d {

static __constant__ float constant_table[table_entries];

/// Fills it: what a step that reads it does before its time is taken.
static void upload_table(const Context& ctx, const Problem& problem) {
  backend::cuda::check(cudaMemcpyToSymbolAsync(constant_table, problem.table.data(), sizeof(constant_table), 0,
                                               cudaMemcpyDeviceToDevice, backend::cuda::stream_of(ctx)),
                       "cudaMemcpyToSymbolAsync");
}

/// The arguments of each of them: the table in global memory, shared memory for a copy, -1/b.
struct WindowSource {
  const float* table;
  float* shared;
  float scale;
};

struct ExactWindow {
  static constexpr int shared_floats = 0;
  float scale;
  __device__ explicit ExactWindow(const WindowSource& source) : scale(source.scale) {}
  __device__ float operator()(const PointOfWindow& at) const { return exponential(scale, at); }
};

struct ConstantTable {
  static constexpr int shared_floats = 0;
  __device__ explicit ConstantTable(const WindowSource& /*source*/) {}
  __device__ float operator()(const PointOfWindow& at) const { return constant_table[entry_at(distance(at))]; }
};

// step: window in shared memory; a window for each axis
/// A barrier must come before reads.
struct SharedTable {
  static constexpr int shared_floats = table_entries;
  const float* table;
  __device__ explicit SharedTable(const WindowSource& source) : table(source.shared) {
    for (unsigned i = threadIdx.x; i < table_entries; i += blockDim.x) source.shared[i] = source.table[i];
  }
  __device__ float operator()(const PointOfWindow& at) const { return table[entry_at(distance(at))]; }
};
// end of step

/// No root.
struct EstimatedDistance : SharedTable {
  using SharedTable::SharedTable;
  __device__ float operator()(const PointOfWindow& at) const {
    return table[entry_at(estimated_distance(at.dx, at.dy))];
  }
};

// step: a window for each axis
/// A Gaussian of the distance is a product of one of x and one of y: no distance.
struct AxisTables : SharedTable {
  using SharedTable::SharedTable;
  __device__ float operator()(const PointOfWindow& at) const {
    return table[entry_at(fabsf(at.dx))] * table[entry_at(fabsf(at.dy))];
  }
};
// end of step

}  // namespace whorl::studies::gridding_2d
