// Mirrored images, on a CPU.
#pragma once

#include "kernels/filter/flip.hpp"

namespace whorl::backend::cpu {

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to);

}  // namespace whorl::backend::cpu
