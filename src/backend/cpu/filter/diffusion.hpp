// Diffusion on pixels, on a CPU.
#pragma once

#include "kernels/filter/diffusion.hpp"

namespace whorl::backend::cpu {

void heat_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                const kernels::HeatRule& rule, Array<float>& image);

void perona_malik_steps(const Context& ctx, const ImageFormat& format, const kernels::ExplicitSteps& steps,
                        const kernels::PeronaMalikRule& rule, Array<float>& image);

void diffuse_lines(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                   const kernels::LineFactors* factors, float* image);

}  // namespace whorl::backend::cpu
