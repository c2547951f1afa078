// Correlation of float32 images with small kernels, reading rows in place.
#pragma once

#include "filter/src/kernels/windows/stencil.hpp"

namespace whorl::backend::cpu {

/// Whether float_stencil takes the kernel: it is small, and rows are longer than the parts near their ends.
bool fits_float_stencil(const ImageFormat& format, const kernels::Stencil& stencil);

/// Copies only pixels near the edges of the image.
void float_stencil(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil, const float* from,
                   float* to);

}  // namespace whorl::backend::cpu
