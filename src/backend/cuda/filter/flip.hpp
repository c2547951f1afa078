// Mirrored images, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/flip.hpp"

namespace whorl::backend::cuda {

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to);

}  // namespace whorl::backend::cuda
