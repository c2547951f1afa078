// Gray plates as the channels of an image, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/plates.hpp"

namespace whorl::backend::cuda {

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to);

}  // namespace whorl::backend::cuda
