// Numbers of pixels as float32 and back, on a CPU.
#pragma once

#include "kernels/filter/float_pixels.hpp"

namespace whorl::backend::cpu {

template <class T>
void to_float(const Context& ctx, Index count, float offset, const T* from, float* to);

template <class T>
void from_float(const Context& ctx, Index count, float offset, const float* from, T* to);

}  // namespace whorl::backend::cpu
