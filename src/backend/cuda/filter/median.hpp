// Medians of square windows, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/median.hpp"

namespace whorl::backend::cuda {

template <class T>
void median(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const T* from, T* to);

}  // namespace whorl::backend::cuda
