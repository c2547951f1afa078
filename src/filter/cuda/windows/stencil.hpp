// Correlation of gray floats with small kernels, on an NVIDIA GPU.
#pragma once

#include "filter/kernels/windows/stencil.hpp"

namespace whorl::backend::cuda {

/// Gray floats and kernels of 3 x 3 or 5 x 5, with all products for each result. False, and nothing done, for other
/// channels and kernels, and where rows are no whole vectors.
bool correlate_window(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                      const kernels::PointEnds& points, const float* from, float* to);

}  // namespace whorl::backend::cuda
