// Correlation with large kernels by Fourier transforms.
#pragma once

#include "filter/src/kernels/windows/stencil.hpp"
#include "whorl/core/image.hpp"

namespace whorl::filters {

/// The number of taps from which transforms take less time than sums (measured for 2048 x 2048 on two cores of a CPU:
/// 26000). Both give the same results up to rounding.
inline constexpr Index transformed_taps = 25600;

/// Whether transforms are used for the stencil: float32 images, and kernels with many taps that are not the product of
/// a column and a row, without magnitude and offset.
bool is_transformed(const kernels::Stencil& stencil, PixelType type);

/// As kernels::stencil<float, float>, computed in double: within 1e-7 of the largest sum of magnitudes.
/// Memory  two complex double grids, and two of float32, of a slice with its border, rounded up to a fast size
void correlate_by_transform(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                            const float* from, float* to);

}  // namespace whorl::filters
