// Parts of images, and images with a border, on a CPU.
#pragma once

#include "kernels/filter/frame.hpp"

namespace whorl::backend::cpu {

template <class T>
void frame(const Context& ctx, const kernels::FrameJob<T>& job, const T* from, T* to);

}  // namespace whorl::backend::cpu
