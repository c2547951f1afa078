// Bias fields, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/bias.hpp"

namespace whorl::backend::cuda {

void sum_pixels(const Context& ctx, Index count, const float* image, kernels::MaskedSum* sum);

void bias_logs(const Context& ctx, Index count, const kernels::BiasMask& mask, const kernels::MaskedSum* image_sum,
               const float* image, float* logs, float* share);

void bias_normalize(const Context& ctx, Index count, const kernels::BiasMask& mask, const kernels::MaskedSum* image_sum,
                    const float* image, const float* share, float* logs, kernels::MaskedSum* sum);

void bias_apply(const Context& ctx, Index count, bool field, const kernels::MaskedSum* log_sum, const float* logs,
                float* image);

}  // namespace whorl::backend::cuda
