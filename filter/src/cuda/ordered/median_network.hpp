// Medians of small windows, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/ordered/median.hpp"

namespace whorl::backend::cuda {

inline constexpr Index largest_network_radius = 2;

template <class T>
void median_by_network(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
                       const T* from, T* to);

/// For radius 1 and 2. Returns false, and does nothing, for channels other than gray and RGB.
template <class T>
bool median_of_three_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge,
                          const kernels::PointEnds& ends, const T* from, T* to);
template <class T>
bool median_of_five_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge,
                         const kernels::PointEnds& ends, const T* from, T* to);

}  // namespace whorl::backend::cuda
