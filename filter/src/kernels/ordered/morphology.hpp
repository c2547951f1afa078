// Kernel family: the smallest or largest pixels of windows, and differences of images.
#pragma once

#include <vector>

#include "filter/src/kernels/edge.hpp"
#include "filter/src/kernels/points/point_ends.hpp"

namespace whorl::kernels {

enum class Extremum { smallest, largest };

/// A window of 2 x + 1 by 2 y + 1 pixels.
struct Rectangle {
  Index x = 0;
  Index y = 0;
};

/// The extremum of a window that is the union of rectangles. For images of pixels T, with operations at its ends.
template <class T>
inline FilterKernel<void(const Context&, const ImageFormat&, Extremum, const std::vector<Rectangle>&, Edge<T>,
                         const PointEnds&, const void* from, void* to)>
    window_extremum{"window_extremum"};

/// to = a - b, where no number of a is below the one of b.
template <class T>
inline FilterKernel<void(const Context&, Index count, const T* a, const T* b, T* to)> subtract{"subtract"};

}  // namespace whorl::kernels
