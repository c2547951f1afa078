// Separable windows over floats, both passes at once.
#pragma once

#include "filter/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cuda {

/// The window over every slice. False, and nothing done, where it is too large or not symmetric.
bool sum_float_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<float>& passes,
                       Border border, float beyond, const kernels::PointEnds& ends, const float* from, float* to);

}  // namespace whorl::backend::cuda
