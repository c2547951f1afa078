// Images read along slanted lines, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/warp.hpp"

namespace whorl::backend::cuda {

template <class T>
void warp(const Context& ctx, const kernels::WarpJob<T>& job, const T* from, T* to);

}  // namespace whorl::backend::cuda
