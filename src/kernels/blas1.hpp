// Kernel family: sums and updates of long vectors.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// sum conj(x_i) y_i, accumulated in double
template <class Real>
inline CoreKernel<std::complex<double>(const Context&, Index, const std::complex<Real>*, const std::complex<Real>*)>
    dot{"dot"};

/// y = a x + b y
template <class Real>
inline CoreKernel<void(const Context&, Index, std::complex<double>, const std::complex<Real>*, std::complex<double>,
                       std::complex<Real>*)>
    axpby{"axpby"};

/// y_i = w_i x_i with real weights w
template <class Real>
inline CoreKernel<void(const Context&, Index, const Real*, const std::complex<Real>*, std::complex<Real>*)>
    multiply_real{"multiply_real"};

/// y_i = x_i
template <class Real>
inline CoreKernel<void(const Context&, Index, const Real*, std::complex<Real>*)> to_complex{"to_complex"};

}  // namespace whorl::kernels
