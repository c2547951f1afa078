// Sums that tell how well images match, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/shift_sums.hpp"

namespace whorl::backend::cuda {

template <class T>
void shift_sums(const Context& ctx, const kernels::ShiftSumsJob& job, const T* fixed, const T* moving,
                kernels::ShiftSums<T>* sums);

}  // namespace whorl::backend::cuda
