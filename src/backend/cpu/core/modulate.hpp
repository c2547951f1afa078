// Products with complex factors.
#pragma once

#include "kernels/modulate.hpp"

namespace whorl::backend::cpu {

template <class Real>
void modulate(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
              const std::complex<Real>* x, std::complex<Real>* y);

template <class Real>
void modulate_add(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
                  const std::complex<Real>* x, std::complex<Real>* y);

}  // namespace whorl::backend::cpu
