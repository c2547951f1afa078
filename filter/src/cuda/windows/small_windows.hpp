// Separable windows of few taps over bytes, in registers.
#pragma once

#include "filter/src/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cuda {

/// Applies the window to every slice. Returns false, and does nothing, if the window is too large or rows are not
/// whole vectors. So it does if taps are negative, not symmetric along x or make results above 255, and for operations at
/// the ends of images with alpha.
bool sum_small_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                       Border border, std::uint8_t beyond, const kernels::PointEnds& ends, const std::uint8_t* from,
                       std::uint8_t* to);

}  // namespace whorl::backend::cuda
