// What a circulant preconditioner takes beside FFTs, for arrays: the kernels of kernels/circulant.hpp.
#pragma once

#include "kernels/circulant.hpp"
#include "whorl/core/array.hpp"

namespace whorl {

/// magnitude_i = |v_i|, for as many as `magnitude` has.
template <class Real>
void set_magnitudes(const Context& ctx, ArrayRef<const std::complex<Real>> v, ArrayRef<Real> magnitude) {
  kernels::magnitudes<Real>(ctx, magnitude.size(), v.data(), magnitude.data());
}

/// factor = scale / spectrum, for the spectrum h + rho w, which counts as `least` where it is less.
/// Shapes  all have as many elements
template <class Real>
void set_circulant_factors(const Context& ctx, const Array<Real>& h, const Array<Real>& w, double rho, double least,
                           double scale, Array<Real>& factor) {
  kernels::circulant_factors<Real>(ctx, {factor.size(), h.data(), w.data(), rho, least}, scale, factor.data());
}

/// y_i = a x_i + b y_i where inside_i is 0, for as many as `inside` has; x may be y.
template <class Real>
void axpby_outside(const Context& ctx, const Array<Real>& inside, double a, ArrayRef<const std::complex<Real>> x,
                   double b, ArrayRef<std::complex<Real>> y) {
  kernels::axpby_outside<Real>(ctx, inside.size(), inside.data(), a, x.data(), b, y.data());
}

}  // namespace whorl
