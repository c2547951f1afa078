// Kernel family: the operator of second-order total generalized variation.
#pragma once

#include <complex>

#include "kernels/penalties/differences.hpp"

namespace whorl::kernels {

/// W (x, w) = (D x - w, second E w) for an image or series x and a field w, which has an image for each of the n axes that have
/// differences. D are the differences of x. E w is the symmetric part of the differences J_ab = D_a w_b of w:
///
///   y[a,r]      = scale_a (x[r+e_a] - x[r]) - w[a,r],  0 at the end of axis a unless it is cyclic
///   y[n+k,r]    = second (J_ab[r] + J_ba[r]) / sqrt(2),  second J_aa[r] where a = b
///
/// k counts the pairs a <= b in the order (0,0), (0,1), ..., (1,1), ...: the norm over k is that of the matrix. At the end
/// of such an axis a w_a meets no difference of x, so that it is free there, and W of a linear x can be 0. Weights and `add` of
/// Differences have no effect.
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, double second, const std::complex<Real>* x,
                   const std::complex<Real>* w, std::complex<Real>* y)>
    generalized_gradient{"generalized gradient"};

/// (x, w) += factor W^H y
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, double second, double factor, const std::complex<Real>* y,
                   std::complex<Real>* x, std::complex<Real>* w)>
    generalized_gradient_adjoint{"generalized gradient adjoint"};

}  // namespace whorl::kernels
