// F^H F from Q, the image of a unit impulse on the doubled field of view.
#pragma once

#include <array>
#include <complex>

#include "whorl/core/array.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::studies::quantitative_mri {

/// The extent of the grid of Q along an axis of n voxels: 2n - 1 lags, or a few more for a fast FFT.
Index impulse_extent(Index n);

/// z = F^H F x for images [size, size, size] as a convolution: Q(r - r') / voxels is its matrix. `impulse`, of
/// impulse_extent(size) along each axis, is Q(r) = sum_j exp(2 pi i k_j . r), r = 0 in the middle.
template <class Real>
NormalFunction<Real> convolution_with(const Context& ctx, ArrayRef<const std::complex<Real>> impulse, Index size);

}  // namespace whorl::studies::quantitative_mri
