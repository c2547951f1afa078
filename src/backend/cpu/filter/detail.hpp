// Raised detail on a CPU.
#pragma once

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

template <class T>
void raise_detail(const Context& ctx, Index count, float amount, const T* image, const T* blurred, T* to);

}  // namespace whorl::backend::cpu
