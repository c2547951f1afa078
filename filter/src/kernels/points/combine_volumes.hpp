// Kernel family: volumes of an image combined pixel by pixel.
#pragma once

#include "filter/src/kernels/kernel.hpp"

namespace whorl::kernels {

/// to[g][i] = sqrt(sum over volumes v < coils of |from[g * coils + v][i]|^2), for `pixels` pixels a volume, each of
/// `parts` floats (2: complex).
inline FilterKernel<void(const Context&, Index groups, Index coils, Index pixels, int parts, const float* from,
                         float* to)>
    combine_volumes{"root-sum-of-squares"};

}  // namespace whorl::kernels
