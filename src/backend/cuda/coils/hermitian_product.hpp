// Products of matrices that are Hermitian.
#pragma once

#include <complex>

#include "whorl/core/array.hpp"

namespace whorl::backend::cuda {

/// c = a b^H + weight c for matrices a and b of n x inner elements, where the result is Hermitian: b = a, or a and b are
/// Hermitian and commute. The element in row i and column k is number k n + i. Only one triangle is computed.
void hermitian_product(const Context& ctx, Index n, Index inner, const std::complex<double>* a,
                       const std::complex<double>* b, double weight, std::complex<double>* c);

}  // namespace whorl::backend::cuda
