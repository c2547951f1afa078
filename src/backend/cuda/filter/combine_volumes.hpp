// Volumes of an image combined pixel by pixel, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/combine_volumes.hpp"

namespace whorl::backend::cuda {

void combine_volumes(const Context& ctx, Index groups, Index coils, Index pixels, int parts, const float* from,
                     float* to);

}  // namespace whorl::backend::cuda
