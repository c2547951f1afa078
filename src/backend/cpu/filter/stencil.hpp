// Correlation of images with small kernels, on a CPU.
#pragma once

#include "kernels/filter/fused.hpp"
#include "kernels/filter/stencil.hpp"

namespace whorl::backend::cpu {

template <class T, class Out>
void stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const T* from, Out* to);
template <class T, class Out>
void stencil_fused(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                   const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cpu
