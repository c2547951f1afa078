// Medians of square windows, on a CPU.
#pragma once

#include "kernels/filter/fused.hpp"
#include "kernels/filter/median.hpp"

namespace whorl::backend::cpu {

template <class T>
void median(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const T* from, T* to);
/// Radius up to kernels::largest_fused_median.
template <class T>
void median_fused(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
                  const kernels::PointEnds& ends, const void* from, void* to);

}  // namespace whorl::backend::cpu
