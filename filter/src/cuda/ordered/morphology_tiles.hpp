// The smallest or largest pixels of small windows, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/ordered/morphology.hpp"

namespace whorl::backend::cuda {

/// Returns false, and does nothing, if the windows are too large for a tile.
template <class T>
bool window_extremum_by_tiles(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                              const std::vector<kernels::Rectangle>& rectangles, kernels::Edge<T> edge,
                              const kernels::PointEnds& ends, const T* from, T* to);

}  // namespace whorl::backend::cuda
