// The smallest or largest pixels of windows of 3 x 3, on an NVIDIA GPU.
#pragma once

#include "filter/kernels/ordered/morphology.hpp"

namespace whorl::backend::cuda {

/// Whether it has been done: only for gray and RGB, with operations only in rows of whole vectors.
template <class T>
bool extremum_of_three_rows(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                            kernels::Edge<T> edge, const kernels::PointEnds& ends, const T* from, T* to);

}  // namespace whorl::backend::cuda
