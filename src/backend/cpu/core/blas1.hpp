#pragma once

#include <complex>

#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

template <class Real>
std::complex<double> dot(const Context& ctx, Index count, const std::complex<Real>* x, const std::complex<Real>* y);

template <class Real>
void axpby(const Context& ctx, Index count, std::complex<double> a, const std::complex<Real>* x, std::complex<double> b,
           std::complex<Real>* y);

template <class Real>
void multiply_real(const Context& ctx, Index count, const Real* weights, const std::complex<Real>* x,
                   std::complex<Real>* y);

template <class Real>
void to_complex(const Context& ctx, Index count, const Real* x, std::complex<Real>* y);

}  // namespace whorl::backend::cpu
