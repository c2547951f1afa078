// Images read along slanted lines, on a CPU.
#pragma once

#include "kernels/filter/warp.hpp"

namespace whorl::backend::cpu {

template <class T>
void warp(const Context& ctx, const kernels::WarpJob<T>& job, const T* from, T* to);

}  // namespace whorl::backend::cpu
