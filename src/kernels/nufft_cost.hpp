// Kernel family: what a model says of the NUFFT on a device, for the choice of its grid and of the coils in a batch.
// The numbers are those measured of the device's kernels (docs/performance.md).
#pragma once

#include <array>

#include "kernels/padded_fft.hpp"
#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"

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

/// Nanoseconds of one application of a convolution on a grid, with a thirtieth of its planning:
/// iterations are some thirty.
inline Kernel<double(const Context&, int dim, Index grid_points)> convolution_cost{"convolution"};

/// How many coils to transform at a time at most, whose grids take `grid_bytes` bytes each.
inline Kernel<Index(const Context&, Index grid_bytes)> most_coils_at_once{"nufft"};

/// The samples of a trajectory as a grid is to see them: each coordinate of `points`, on the host, times the scale of
/// its axis (x first).
struct PlacedSamples {
  ArrayRef<const double> points;  ///< [sample, dim], x first, in cycles per grid point before scaling
  std::array<double, 3> scale = {1, 1, 1};

  Index count() const { return points.extent(0); }
  int dim() const { return static_cast<int>(points.extent(1)); }
};

/// Bytes of gridding beside the grids themselves.
struct GriddingMemory {
  Index plan;         ///< held by the plan
  Index planning;     ///< more while the plan is made
  Index spread;       ///< of one call that spreads
  Index interpolate;  ///< of one call that interpolates
};

/// What a plan for these samples takes, with a window of `width` cells, numbers of `real_bytes` bytes, and batches of so
/// many coils. It follows from where the samples crowd, so they are counted, as the plan will.
inline Kernel<GriddingMemory(const Context&, const PlacedSamples&, const GridLayout&, int width, Index real_bytes,
                             Index coils)>
    gridding_memory{"gridding"};

/// Bytes that an application of a convolution takes beside image and spectrum.
inline Kernel<Index(const Context&, const ConvolutionGeometry&, Index real_bytes, Index coils)> convolution_memory{
    "convolution"};

}  // namespace whorl::kernels
