// Kernel family: sums over arrays, element by element.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// sum[i] += sum_b Re(conj(x[b,i]) y[b,i]) for x and y [batch, count], in the order of the arrays
template <class Real>
inline CoreKernel<void(const Context&, Index batch, Index count, const std::complex<Real>* x,
                       const std::complex<Real>* y, double* sum)>
    add_products{"add_products"};

}  // namespace whorl::kernels
