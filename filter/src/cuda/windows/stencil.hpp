// Correlation of gray floats with small kernels, on an NVIDIA GPU.
#pragma once

#include "filter/src/kernels/windows/stencil.hpp"

namespace whorl::backend::cuda {

/// For gray floats and kernels of 3 x 3 or 5 x 5: all products for each result. Returns false, and does nothing, for
/// other channels and kernels, and if rows are not whole vectors.
bool correlate_window(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                      const kernels::PointEnds& points, const float* from, float* to);

}  // namespace whorl::backend::cuda
