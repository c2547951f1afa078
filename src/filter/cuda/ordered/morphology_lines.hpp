// The smallest or largest pixels of one rectangle around each, on an NVIDIA GPU.
#pragma once

#include "filter/kernels/ordered/morphology.hpp"

namespace whorl::backend::cuda {

/// False, and nothing done, where a warp has no room for a row of the rectangle, or a thread for a column.
template <class T>
bool window_extremum_by_lines(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                              kernels::Rectangle rectangle, kernels::Edge<T> edge, const kernels::PointEnds& ends,
                              const T* from, T* to);

}  // namespace whorl::backend::cuda
