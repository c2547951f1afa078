// The smallest or largest pixels of one rectangle around each pixel, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/ordered/morphology.hpp"

namespace whorl::backend::cuda {

/// Returns false, and does nothing, if a row of the rectangle is too long for a warp, or a column for a thread.
template <class T>
bool window_extremum_by_lines(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                              kernels::Rectangle rectangle, kernels::Edge<T> edge, const kernels::PointEnds& ends,
                              const T* from, T* to);

}  // namespace whorl::backend::cuda
