// The cost of transforms, in nanoseconds of one coil of 8 to 32, which are transformed together. Fitted to what
// bench/normal_methods prints on an H100 (2026-11-24): a pair of transforms within 30 % from a tenth of the Nyquist
// number of spokes on, a convolution within 10 %. A thirtieth of the planning of a convolution is included.
#pragma once

#include "whorl/core/view.hpp"

namespace whorl::backend::cuda::tuning {

struct NufftCost {
  double sample;        ///< of each sample
  double window_point;  ///< of each grid point in a sample's window
  double grid_point;    ///< of each point of the grid, in the transforms
};
inline constexpr NufftCost nufft_2d{0.026, 0.00055, 0.022};
inline constexpr NufftCost nufft_3d{0.127, 0.00092, 0.0215};

/// Cost of each point of the doubled grid.
inline constexpr double convolution_2d = 0.0155;
inline constexpr double convolution_3d = 0.0148;

/// Cost of two components whose convolutions are mixed, for each point of the doubled grid: by the bytes of their spectra
/// and products, not measured.
inline constexpr double mixed_pair = 0.0005;

/// Bytes of the grids that are in memory at a time,
inline constexpr Index batch_bytes = Index{2} << 30;
/// and the largest fraction of the memory that they may take.
inline constexpr double part_of_memory = 0.25;

}  // namespace whorl::backend::cuda::tuning
