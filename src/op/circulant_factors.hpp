// The factors of a circulant preconditioner, for arrays: the kernels of kernels/circulant.hpp.
#pragma once

#include "kernels/circulant.hpp"
#include "whorl/core/array.hpp"

namespace whorl {

/// magnitude_i = |v_i|, for as many as `magnitude` has.
template <class Real>
void set_magnitudes(const Context& ctx, ArrayRef<const std::complex<Real>> v, ArrayRef<Real> magnitude) {
  kernels::magnitudes<Real>(ctx, magnitude.size(), v.data(), magnitude.data());
}

/// factor = scale / root and inverse = scale root of the spectrum h + rho w, which counts as `least` where it is less.
/// Shapes  all have as many elements
template <class Real>
void set_circulant_factors(const Context& ctx, const Array<Real>& h, const Array<Real>& w, double rho, double least,
                           double scale, Array<Real>& factor, Array<Real>& inverse) {
  kernels::circulant_factors<Real>(ctx, {factor.size(), h.data(), w.data(), rho, least}, scale, factor.data(),
                                   inverse.data());
}

}  // namespace whorl
