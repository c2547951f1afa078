// Correlation of images with small kernels, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/fused.hpp"

namespace whorl::backend::cuda {

template <class T, class Out>
void stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const T* from, Out* to);

/// Operations that fuses_points lets through, of uint8 and float32.
template <class T, class Out>
void stencil_fused(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                   const kernels::PointEnds& ends, const void* from, void* to);

/// Gray floats by kernels of 3 x 3 or 5 x 5, all products for each result. False, and nothing done, where rows are no
/// whole vectors, or the kernel is none of these.
bool correlate_window(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                      const kernels::PointEnds& points, const float* from, float* to);

}  // namespace whorl::backend::cuda
