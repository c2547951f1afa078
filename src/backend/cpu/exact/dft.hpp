#pragma once

#include "kernels/dft.hpp"

namespace whorl::backend::cpu {

template <class Real>
void dft_forward(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* images,
                 std::complex<Real>* samples, Index batch);

template <class Real>
void dft_adjoint(const Context& ctx, const kernels::DftGeometry& geometry, const std::complex<Real>* samples,
                 std::complex<Real>* images, Index batch);

}  // namespace whorl::backend::cpu
