// Correlation of images with small kernels, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/stencil.hpp"

namespace whorl::backend::cuda {

template <class T, class Out>
void stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const T* from, Out* to);

}  // namespace whorl::backend::cuda
