// The smallest or largest pixels of windows, and differences of images, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/fused.hpp"

namespace whorl::backend::cuda {

template <class T>
void window_extremum(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                     const std::vector<kernels::Rectangle>& rectangles, kernels::Edge<T> edge, const T* from, T* to);

/// Operations that fuses_points lets through, of uint8 and float32.
template <class T>
void window_extremum_fused(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                           const std::vector<kernels::Rectangle>& rectangles, kernels::Edge<T> edge,
                           const kernels::PointEnds& ends, const void* from, void* to);

template <class T>
void subtract(const Context& ctx, Index count, const T* a, const T* b, T* to);

}  // namespace whorl::backend::cuda
