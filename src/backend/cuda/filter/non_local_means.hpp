// Non-local means, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/non_local_means.hpp"

namespace whorl::backend::cuda {

void non_local_means(const Context& ctx, const ImageFormat& format, const kernels::NonLocalMeans& job,
                     const float* sigma, const float* from, float* to);

void noise_sigma(const Context& ctx, const ImageFormat& format, const float* image, float* sigma);

}  // namespace whorl::backend::cuda
