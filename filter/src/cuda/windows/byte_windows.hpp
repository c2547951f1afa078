// Separable windows over bytes on the tensor cores.
#pragma once

#include "filter/src/kernels/windows/separable_taps.hpp"

namespace whorl::backend::cuda {

/// Applies the window to every slice. Returns false, and does nothing, if it is too large or has negative taps.
bool sum_byte_windows(const Context& ctx, const ImageFormat& format, const kernels::TwoPasses<std::int16_t>& passes,
                      Border border, std::uint8_t beyond, const std::uint8_t* from, std::uint8_t* to);

}  // namespace whorl::backend::cuda
