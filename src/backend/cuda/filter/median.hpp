// Medians of square windows, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/fused.hpp"
#include "kernels/filter/median.hpp"

namespace whorl::backend::cuda {

template <class T>
void median(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const T* from, T* to);

/// Operations that fuses_points lets through, of uint8 and float32.
template <class T>
void median_fused(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
                  const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cuda
