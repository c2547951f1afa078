// Density weights, on a GPU.
#pragma once

#include <complex>

#include "kernels/density.hpp"

namespace whorl::backend::cuda {

template <class Real>
kernels::PipeMenonSums pipe_menon_step(const Context& ctx, Index samples, double momentum,
                                       const std::complex<Real>* convolved, Real* previous,
                                       std::complex<Real>* weights);
template <class Real>
double sum_of_weights(const Context& ctx, Index count, const Real* weights);
template <class Real>
void scale(const Context& ctx, Index count, double factor, const Real* x, Real* y);

}  // namespace whorl::backend::cuda
