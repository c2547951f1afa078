// Kernel family: converts pixels to complex double and back, for filters by Fourier transforms.
#pragma once

#include <complex>

#include "filter/src/kernels/points/float_pixels.hpp"

namespace whorl::kernels {

/// Converts `count` pairs of numbers, or `count` single numbers, to complex numbers.
template <class T>
inline FilterKernel<void(const Context&, Index count, bool pairs, const T* from, std::complex<double>* to)> widen{
    "widen"};

/// to = a + b, as pairs, or only the real parts; integers are rounded to the nearest and clipped.
template <class T>
inline FilterKernel<void(const Context&, Index count, bool pairs, const std::complex<double>* a,
                         const std::complex<double>* b, T* to)>
    narrow{"narrow"};

}  // namespace whorl::kernels
