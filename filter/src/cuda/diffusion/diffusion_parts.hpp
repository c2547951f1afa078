// Lines of diffusion that lie in the registers of a block during all steps.
#pragma once

#include "filter/src/kernels/diffusion/diffusion.hpp"

namespace whorl::backend::cuda {

inline constexpr Index longest_in_parts = 16384;

/// As kernels::diffuse_lines, for lines of at most `longest_in_parts`.
void diffuse_in_parts(const Context& ctx, const kernels::Lines& lines, const kernels::LineSteps& steps,
                      const kernels::LineFactors* factors, float* image);

}  // namespace whorl::backend::cuda
