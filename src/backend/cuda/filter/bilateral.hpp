// The bilateral filter, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/bilateral.hpp"

namespace whorl::backend::cuda {

template <class T>
void bilateral(const Context& ctx, const ImageFormat& format, const kernels::BilateralPlan& plan, kernels::Edge<T> edge,
               const T* from, T* to);

}  // namespace whorl::backend::cuda
