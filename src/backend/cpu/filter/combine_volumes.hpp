// Volumes of an image combined pixel by pixel, on a CPU.
#pragma once

#include "kernels/filter/combine_volumes.hpp"

namespace whorl::backend::cpu {

void combine_volumes(const Context& ctx, Index groups, Index coils, Index pixels, int parts, const float* from,
                     float* to);

}  // namespace whorl::backend::cpu
