// The smallest or largest pixels of windows of 3 x 3, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/ordered/morphology.hpp"

namespace whorl::backend::cuda {

/// Returns false, and does nothing, for channels other than gray and RGB, and for operations at the ends if rows are
/// not whole vectors.
template <class T>
bool extremum_of_three_rows(const Context& ctx, const ImageFormat& format, kernels::Extremum which,
                            kernels::Edge<T> edge, const kernels::PointEnds& ends, const T* from, T* to);

}  // namespace whorl::backend::cuda
