// Kernel family: a circulant preconditioner for images that a matrix knows only in a part of their pixels.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// magnitude_i = |v_i|
template <class Real>
inline Kernel<void(const Context&, Index, const std::complex<Real>* v, Real* magnitude)> magnitudes{"magnitudes"};

/// The spectrum h + rho w of a matrix, at least `least`.
template <class Real>
struct CirculantSpectrum {
  Index count;
  const Real* h;
  const Real* w;
  double rho;
  double least;
};

/// factor_i = scale / spectrum_i
template <class Real>
inline Kernel<void(const Context&, const CirculantSpectrum<Real>&, double scale, Real* factor)> circulant_factors{
    "circulant preconditioner"};

/// y_i = a x_i + b y_i where inside_i is 0; x may be y
template <class Real>
inline Kernel<void(const Context&, Index, const Real* inside, double a, const std::complex<Real>* x, double b,
                   std::complex<Real>* y)>
    axpby_outside{"axpby outside"};

}  // namespace whorl::kernels
