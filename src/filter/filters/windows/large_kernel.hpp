// Correlation with large kernels by Fourier transforms.
#pragma once

#include "filter/kernels/windows/stencil.hpp"
#include "whorl/core/image.hpp"

namespace whorl::filters {

/// Taps from which the transforms take less time than the sums (2048 x 2048 on two cores of a CPU: as long as 26000
/// taps); both are within rounding of the same.
inline constexpr Index transformed_taps = 25600;

/// Whether the stencil's sums over float32 images are made here: kernels of many taps that are no product of a column
/// and a row, whose sums are taken as they are.
bool is_transformed(const kernels::Stencil& stencil, PixelType type);

/// As kernels::stencil<float, float>, computed in double: within 1e-7 of the largest sum of magnitudes.
/// Memory  two complex double grids, and two of float32, of a slice with its border, rounded up to a fast size
void correlate_by_transform(const Context& ctx, const ImageFormat& format, const kernels::Stencil& stencil,
                            const float* from, float* to);

}  // namespace whorl::filters
