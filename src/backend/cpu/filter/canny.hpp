// Edges, on a CPU.
#pragma once

#include "kernels/filter/canny.hpp"

namespace whorl::backend::cpu {

template <class T>
void canny(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan,
           const kernels::PointCode* load, const void* from, T* to);

}  // namespace whorl::backend::cpu
