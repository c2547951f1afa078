// Medians of large windows, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/ordered/median.hpp"

namespace whorl::backend::cuda {

/// For every radius.
template <class T>
void median_by_histogram(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
                         const T* from, T* to);

}  // namespace whorl::backend::cuda
