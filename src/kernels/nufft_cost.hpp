// Kernel family: what a model says of the NUFFT on a device, for the choice of its grid and of the coils in a batch.
// The numbers are those measured of the device's kernels (docs/performance.md).
#pragma once

#include "kernels/registry.hpp"
#include "whorl/core/view.hpp"

namespace whorl::kernels {

/// One transform of one coil.
struct NufftWork {
  int dim;
  int width;          ///< of the window, in cells
  Index grid_points;  ///< of the oversampled grid
  Index samples;
};

/// Nanoseconds of a transform, for comparison with others on the same device.
inline Kernel<double(const Context&, const NufftWork&)> nufft_cost{"nufft"};

/// Nanoseconds of one application of a convolution on a grid of so many points, with a thirtieth of its planning:
/// iterations are some thirty.
inline Kernel<double(const Context&, int dim, Index grid_points)> convolution_cost{"convolution"};

/// How many coils to transform at a time at most, whose grids take so many bytes each.
inline Kernel<Index(const Context&, Index grid_bytes)> most_coils_at_once{"nufft"};

}  // namespace whorl::kernels
