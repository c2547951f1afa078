// Sums over arrays, element by element, on a CPU.
#pragma once

#include <complex>

#include "whorl/core/context.hpp"
#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

template <class Real>
void add_products(const Context& ctx, Index batch, Index count, const std::complex<Real>* x,
                  const std::complex<Real>* y, double* sum);

}  // namespace whorl::backend::cpu
