// Separable windows over floats, both passes at once.
#pragma once

#include "filter/src/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cuda {

/// Applies the window to every slice. Returns false, and does nothing, if it is too large or not symmetric.
bool sum_float_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<float>& passes,
                       Border border, float beyond, const kernels::PointEnds& ends, const float* from, float* to);

}  // namespace whorl::backend::cuda
