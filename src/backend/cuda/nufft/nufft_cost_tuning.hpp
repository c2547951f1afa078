// The cost of transforms, in nanoseconds of one coil. Measured on an H200.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda::tuning {

struct NufftCost {
  double sample;        ///< of each sample
  double window_point;  ///< of each grid point in a sample's window
  double grid_point;    ///< of each point of the grid, in the transforms
};
inline constexpr NufftCost nufft_2d{0.037, 0.00065, 0.003};
inline constexpr NufftCost nufft_3d{0.127, 0.00092, 0.0084};

/// Cost of each point of the doubled grid.
inline constexpr double convolution_2d = 0.02;
inline constexpr double convolution_3d = 0.012;

/// Cost of two components whose convolutions are mixed, for each point of the doubled grid: by the bytes of their spectra
/// and products, not measured.
inline constexpr double mixed_pair = 0.0005;

/// Bytes of the grids that are in memory at a time,
inline constexpr Index batch_bytes = Index{2} << 30;
/// and the largest fraction of the memory that they may take.
inline constexpr double part_of_memory = 0.25;

}  // namespace whorl::backend::cuda::tuning
