// From the transform of an impulse's image to the spectrum of a convolution, on the CPU.
#pragma once

#include <complex>

#include "kernels/grid_layout.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cpu {

template <class Real>
void real_spectrum(const Context& ctx, const kernels::GridLayout& layout, double scale,
                   const std::complex<Real>* values, Real* spectrum);

}  // namespace whorl::backend::cpu
