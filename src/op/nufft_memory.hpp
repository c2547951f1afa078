// What a NUFFT takes of a device's memory.
#pragma once

#include "kernels/nufft_cost.hpp"
#include "whorl/op/nufft.hpp"

namespace whorl {

/// nufft_memory of points on the host that are scaled along each axis.
template <class Real>
NufftMemory placed_nufft_memory(const Context& ctx, const kernels::PlacedSamples& samples, const Shape& image_shape,
                                Index coils, const NufftOptions& options);

/// Memory of a convolution with a spectrum by nufft_normal.
template <class Real>
NufftMemory toeplitz_memory(const Context& ctx, const kernels::PlacedSamples& samples, const Shape& image, Index coils,
                            const NufftOptions& options);

}  // namespace whorl
