// Kernel family: from the image of an impulse to the spectrum of a convolution (op/toeplitz.cpp).
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"
#include "whorl/core/view.hpp"

namespace whorl::kernels {

/// Moves the origin of a grid [z, y, x] (extents 1 where there is no axis) from pixel floor(m/2) to index 0, and leaves
/// out the lag -m/2, which no pair of pixels has and whose counterpart m/2 is not there.
template <class Real>
inline Kernel<void(const Context&, const std::array<Index, 3>&, const std::complex<Real>* centered,
                   std::complex<Real>* corner)>
    center_to_corner{"toeplitz"};

/// spectrum_i = scale * real part of values_i
template <class Real>
inline Kernel<void(const Context&, Index, double scale, const std::complex<Real>* values, Real* spectrum)>
    real_spectrum{"toeplitz"};

}  // namespace whorl::kernels
