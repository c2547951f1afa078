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

}  // namespace whorl::backend::cuda
