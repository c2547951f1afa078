// Kernel family: from the transform of an impulse's image to the spectrum of a convolution (op/toeplitz.cpp).
#pragma once

#include <complex>

#include "kernels/grid_layout.hpp"
#include "kernels/registry.hpp"

namespace whorl::kernels {

/// spectrum [z, y, x] = scale * real part of the values, which have the given layout
template <class Real>
inline Kernel<void(const Context&, const GridLayout&, double scale, const std::complex<Real>* values, Real* spectrum)>
    real_spectrum{"toeplitz"};

}  // namespace whorl::kernels
