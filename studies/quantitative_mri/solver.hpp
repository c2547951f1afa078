// The linear system of every least squares reconstruction.
#pragma once

#include <complex>

#include "studies/quantitative_mri/trial.hpp"
#include "whorl/op/linear_operator.hpp"
#include "whorl/solver/conjugate_gradient.hpp"

namespace whorl::studies::quantitative_mri {

template <class Real>
struct System {
  NormalFunction<Real> normal;  ///< z = F^H F x, both [z, y, x]
  double eigenvalue;            ///< s, the largest of F^H F
  double lambda;
  const LinearOperator<Real>* penalty = nullptr;  ///< W; none: the identity
};

/// Solves (F^H F / s + lambda W^H W) x = F^H d / s (docs/explain/lambda.md) for an x in the ball inscribed in the field of view, as
/// many iterations as the options say.
template <class Real>
Array<std::complex<Real>> solve(const Trial& trial, const System<Real>& system,
                                ArrayRef<const std::complex<Real>> adjoint_data);

}  // namespace whorl::studies::quantitative_mri
