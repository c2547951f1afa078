// Products of lines with coil sensitivities: the inner loops, in real numbers so that compilers vectorize them.
#pragma once

#include <complex>

#include "whorl/core/view.hpp"

namespace whorl::backend::cpu {

/// y = map * x
template <class Real>
inline void multiply_line(Index points, const std::complex<Real>* map, const std::complex<Real>* x,
                          std::complex<Real>* y) {
  for (Index i = 0; i < points; ++i) {
    y[i] = {map[i].real() * x[i].real() - map[i].imag() * x[i].imag(),
            map[i].real() * x[i].imag() + map[i].imag() * x[i].real()};
  }
}

/// x += conj(map) * y
template <class Real>
inline void add_conjugate_products(Index points, const std::complex<Real>* map, const std::complex<Real>* y,
                                   std::complex<Real>* x) {
  for (Index i = 0; i < points; ++i) {
    x[i] += std::complex<Real>(map[i].real() * y[i].real() + map[i].imag() * y[i].imag(),
                               map[i].real() * y[i].imag() - map[i].imag() * y[i].real());
  }
}

}  // namespace whorl::backend::cpu
