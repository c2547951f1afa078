// Diffusion on pixels, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/diffusion.hpp"

namespace whorl::backend::cuda {

void heat_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                const kernels::HeatRule& rule, Array<float>& image);

void perona_malik_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                        const kernels::PeronaMalikRule& rule, Array<float>& image);

void diffuse_lines(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                   const kernels::LineFactors* factors, float* image);

}  // namespace whorl::backend::cuda
