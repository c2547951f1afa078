// Conjugate gradient in the memory of its right-hand sides.
#pragma once

#include <complex>
#include <vector>

#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::conjugate_gradient_detail {

/// conjugate_gradients whose b, the caller's no longer, becomes the residual: with x there are four vectors then, and not
/// five. The solution has the same bits.
template <class Real>
std::vector<SolverReport> conjugate_gradients_from(const Context& ctx, const NormalOfSystems<Real>& A,
                                                   Array<std::complex<Real>> b, ArrayRef<std::complex<Real>> x,
                                                   const ConjugateGradientOptions& options,
                                                   const IterationCallback& callback, SolverStates<Real>* states);

}  // namespace whorl::conjugate_gradient_detail
