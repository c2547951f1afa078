// Products with coil sensitivities on a GPU.
#pragma once

#include <complex>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cuda {

template <class Real>
void sense_forward(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* x, std::complex<Real>* y);
template <class Real>
void sense_adjoint(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* y, std::complex<Real>* x);

}  // namespace whorl::backend::cuda
