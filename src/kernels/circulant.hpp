// Kernel family: factors of a circulant preconditioner.
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

/// factor_i = scale / root_i and inverse_i = scale root_i, where root_i is the square root of the spectrum
template <class Real>
inline Kernel<void(const Context&, const CirculantSpectrum<Real>&, double scale, Real* factor, Real* inverse)>
    circulant_factors{"circulant preconditioner"};

}  // namespace whorl::kernels
