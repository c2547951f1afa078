// Density weights, on a GPU.
#pragma once

#include <complex>

#include "kernels/density.hpp"

namespace whorl::backend::cuda {

template <class Real>
kernels::PipeMenonSums pipe_menon_step(const Context& ctx, Index samples, const std::complex<Real>* convolved,
                                       std::complex<Real>* weights);
template <class Real>
void real_part(const Context& ctx, Index count, const std::complex<Real>* x, Real* y);
template <class Real>
double sum_of_weights(const Context& ctx, Index count, const Real* weights);
template <class Real>
void scale(const Context& ctx, Index count, double factor, const Real* x, Real* y);

}  // namespace whorl::backend::cuda
