// Kernel family: a model of the cost of the NUFFT on a device, for the choice of its grid and of the coils in a batch.
// Its numbers were measured with the device's kernels (docs/builders/gpu.md).
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

/// Nanoseconds of a transform, for comparison with other transforms on the same device.
inline Kernel<double(const Context&, const NufftWork&)> nufft_cost{"nufft"};

/// Nanoseconds of one application of a convolution on a grid, including a thirtieth of its planning:
/// a reconstruction takes about thirty iterations.
inline Kernel<double(const Context&, int dim, Index grid_points)> convolution_cost{"convolution"};

/// Several components whose convolutions are mixed on a grid (kernels/components.hpp).
struct MixingWork {
  int dim;
  Index grid_points;
  Index components;
};

/// Nanoseconds of one application to one coil: the transforms of all components, and the mixing.
inline Kernel<double(const Context&, const MixingWork&)> mixing_cost{"subspace"};

/// The largest number of coils to transform at a time, if each grid takes `grid_bytes` bytes.
inline Kernel<Index(const Context&, Index grid_bytes)> most_coils_at_once{"nufft"};

/// The samples of a trajectory in units of a grid: each coordinate of `points`, on the host, times the scale of its
/// axis (x first).
struct PlacedSamples {
  ArrayRef<const double> points;  ///< [sample, dim], x first, in cycles per grid point before scaling
  std::array<double, 3> scale = {1, 1, 1};

  Index count() const { return points.extent(0); }
  int dim() const { return static_cast<int>(points.extent(1)); }
};

/// Bytes of gridding, without the grids themselves.
struct GriddingMemory {
  Index plan;         ///< held by the plan
  Index planning;     ///< in addition while the plan is made
  Index spread;       ///< scratch of one call that spreads
  Index interpolate;  ///< scratch of one call that interpolates
};

/// The memory of a plan for these samples, with a window of `width` cells, numbers of `real_bytes` bytes, and batches
/// of this many coils. On a GPU it depends on how the samples crowd, so the samples are counted as the plan does.
inline Kernel<GriddingMemory(const Context&, const PlacedSamples&, const GridLayout&, int width, Index real_bytes,
                             Index coils)>
    gridding_memory{"gridding"};

/// Scratch bytes of an application of a convolution, besides image and spectrum.
inline Kernel<Index(const Context&, const ConvolutionGeometry&, Index real_bytes, Index coils)> convolution_memory{
    "convolution"};

}  // namespace whorl::kernels
