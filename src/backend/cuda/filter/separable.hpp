// Sums over separable windows, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/fused.hpp"

namespace whorl::backend::cuda {

template <class T>
void separable(const Context& ctx, const ImageFormat& format, const kernels::SeparableTaps& taps,
               const BorderOptions& border, const T* from, T* to);

/// Operations that fuses_points lets through, of uint8 and float32.
template <class T>
void separable_fused(const Context& ctx, const ImageFormat& format, const kernels::SeparableTaps& taps,
                     const BorderOptions& border, const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cuda
