// The smallest or largest pixels of windows, and differences of images, on a CPU.
#pragma once

#include "kernels/filter/fused.hpp"
#include "kernels/filter/morphology.hpp"

namespace whorl::backend::cpu {

template <class T>
void window_extremum(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                     const std::vector<kernels::Rectangle>& rectangles, kernels::Edge<T> edge, const T* from, T* to);
template <class T>
void window_extremum_fused(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                           const std::vector<kernels::Rectangle>& rectangles, kernels::Edge<T> edge,
                           const kernels::PointEnds& ends, const void* from, void* to);

template <class T>
void subtract(const Context& ctx, Index count, const T* a, const T* b, T* to);

}  // namespace whorl::backend::cpu
