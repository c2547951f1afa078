// Weighted first differences of an image.
#pragma once

#include <complex>

#include "kernels/differences.hpp"

namespace whorl::backend::cpu {

template <class Real>
void differences_forward(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                         std::complex<Real>* y);
template <class Real>
void differences_adjoint(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* y,
                         std::complex<Real>* x);
template <class Real>
void differences_normal(const Context& ctx, const kernels::Differences<Real>& what, const std::complex<Real>* x,
                        std::complex<Real>* z);

}  // namespace whorl::backend::cpu
