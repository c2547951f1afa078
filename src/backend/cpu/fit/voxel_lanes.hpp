// Fits of voxels by SIMD, a voxel in each lane: the loop of voxel_fit.cpp.
#pragma once

#include "kernels/fit/voxel_fit.hpp"

namespace whorl::backend::cpu {

/// The arguments of kernels::fit_voxels.
struct VoxelArrays {
  const double* settings;
  const double* starts;
  const float* series;
  const float* errors;
  double* parameters;
  double* covariance;
  kernels::FitState* states;
};

/// Voxels that are fitted together: most lanes of any processor.
inline constexpr Index voxels_together = 8;

/// Doubles of scratch memory that a call of fit_together takes.
inline Index fit_scratch(const kernels::VoxelFit& what) {
  return 2 * voxels_together * what.settings * kernels::rows_of(what.model);
}

/// Fits the voxels first ... first + count - 1, count <= voxels_together. The scratch memory is aligned to a vector.
void fit_together(const kernels::VoxelFit& what, const VoxelArrays& arrays, Index first, Index count, double* scratch);

}  // namespace whorl::backend::cpu
