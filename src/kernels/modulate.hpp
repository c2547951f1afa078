// Kernel family: products with complex factors that all of a batch share.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Whether a product takes the factors or their conjugates.
enum class Factor { plain, conjugate };

/// y[b,i] = f[i] x[b,i] for `batch` runs of `count` elements. y may be x.
template <class Real>
inline CoreKernel<void(const Context&, Factor, Index batch, Index count, const std::complex<Real>* f,
                       const std::complex<Real>* x, std::complex<Real>* y)>
    modulate{"modulate"};

/// y[b,i] += f[i] x[b,i]
template <class Real>
inline CoreKernel<void(const Context&, Factor, Index batch, Index count, const std::complex<Real>* f,
                       const std::complex<Real>* x, std::complex<Real>* y)>
    modulate_add{"modulate and add"};

}  // namespace whorl::kernels
