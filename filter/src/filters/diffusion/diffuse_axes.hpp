// Implicit steps of diffusion along the axes of a float32 image.
#pragma once

#include "filter/src/kernels/diffusion/diffusion.hpp"

namespace whorl::filters {

/// `steps` steps u <- w + extrapolation (w - u), (1 - a A) w = u, along x and y, and with `volumes` along z. Beyond a
/// constant border the image is 0.
void diffuse_axes(const Context& ctx, const ImageFormat& format, Border border, bool volumes, Index steps, double a,
                  double extrapolation, float* image);

}  // namespace whorl::filters
