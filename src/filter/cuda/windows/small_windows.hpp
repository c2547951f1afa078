// Separable windows of few taps over bytes, in registers.
#pragma once

#include "filter/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cuda {

/// The window over every slice. False, and nothing done, where the window is too large, where taps are negative, not
/// symmetric along x or make results above 255, where rows are no whole vectors, and for operations at the ends of
/// images with alpha.
bool sum_small_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                       Border border, std::uint8_t beyond, const kernels::PointEnds& ends, const std::uint8_t* from,
                       std::uint8_t* to);

}  // namespace whorl::backend::cuda
