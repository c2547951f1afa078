// Correlation of images of float32 with small kernels: a pass over rows where they lie.
#pragma once

#include "filter/kernels/windows/stencil.hpp"

namespace whorl::backend::cpu {

/// Whether float_stencil takes the kernel: it is small, and rows are longer than what is near their sides.
bool fits_float_stencil(const ImageFormat& format, const kernels::Stencil& stencil);

/// Copies only what is near the edges of the image.
void float_stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const float* from,
                   float* to);

}  // namespace whorl::backend::cpu
