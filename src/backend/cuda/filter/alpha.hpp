// What an image covers, left as it is, on an NVIDIA GPU.
#pragma once

#include "whorl/core/context.hpp"

namespace whorl::backend::cuda {

template <class T, class Out>
void copy_alpha(const Context& ctx, Index pixels, int channels, const T* from, Out* to);

}  // namespace whorl::backend::cuda
