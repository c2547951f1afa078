// Kernel family: medians of square windows.
#pragma once

#include "filter/src/kernels/edge.hpp"
#include "filter/src/kernels/points/point_ends.hpp"

namespace whorl::kernels {

/// The window's side is 2 radius + 1. Up to this radius 16 bits can count the pixels of a window, and eight bits the
/// pixels of a column.
inline constexpr Index largest_median_radius = 127;

/// For images of pixels T, with operations at its ends (PointEnds).
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, Index radius, Edge<T>, const PointEnds&, const void* from,
                         void* to)>
    median{"median"};

}  // namespace whorl::kernels
