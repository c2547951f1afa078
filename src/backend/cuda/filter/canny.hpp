// Edges, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/canny.hpp"

namespace whorl::backend::cuda {

template <class T>
void canny(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan,
           const kernels::PointCode* load, const void* from, T* to);

}  // namespace whorl::backend::cuda
