// Edges of uint8 images before they are connected, on an NVIDIA GPU.
#pragma once

#include "kernels/filter/canny.hpp"

namespace whorl::backend::cuda {

/// Whether `thin_bytes` does it: gray or RGB, and not a Gaussian of another radius, nor one whose result has another
/// border than its image.
bool thins_bytes(const ImageFormat& format, const kernels::CannyPlan& plan);

/// One bit per pixel (kernels::BitMasks): `mask`, thin lines of gradients above the lower threshold, and `seeds`, those
/// of them above the higher one.
void thin_bytes(const Context& ctx, const ImageFormat& format, const kernels::CannyPlan& plan,
                const std::uint8_t* pixels, std::uint32_t* mask, std::uint32_t* seeds);

}  // namespace whorl::backend::cuda
