// Gray plates as the channels of an image, on a CPU.
#pragma once

#include "kernels/filter/plates.hpp"

namespace whorl::backend::cpu {

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to);

}  // namespace whorl::backend::cpu
