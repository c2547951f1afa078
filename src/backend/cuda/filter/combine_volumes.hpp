// Volumes of an image combined pixel by pixel, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/combine_volumes.hpp"

namespace whorl::backend::cuda {

void root_sum_of_squares(const Context& ctx, Index groups, Index coils, Index pixels, int parts, const float* from,
                         float* to);

}  // namespace whorl::backend::cuda
