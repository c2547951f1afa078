// Sums over separable windows, on a CPU.
#pragma once

#include "kernels/filter/fused.hpp"
#include "kernels/filter/separable.hpp"

namespace whorl::backend::cpu {

template <class T>
void separable(const Context& ctx, const ImageFormat& format, const kernels::SeparableTaps& taps,
               const BorderOptions& border, const T* from, T* to);
template <class T>
void separable_fused(const Context& ctx, const ImageFormat& format, const kernels::SeparableTaps& taps,
                     const BorderOptions& border, const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cpu
