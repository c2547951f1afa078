#pragma once

#include <complex>

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

template <class Real>
void sense_forward(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* x, std::complex<Real>* y);

template <class Real>
void sense_adjoint(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* y, std::complex<Real>* x);

}  // namespace whorl::backend::cpu
