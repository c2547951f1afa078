// Kernel family: products with coil sensitivities.
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// y[c,r] = maps[c,r] x[r]
template <class Real>
inline Kernel<void(const Context&, Index, Index, const std::complex<Real>*, const std::complex<Real>*,
                   std::complex<Real>*)>
    sense_forward{"sense forward"};

/// x[r] = sum_c conj(maps[c,r]) y[c,r], or `add`ed to x[r], coil by coil: added up over parts of the coils, in their order, it
/// has the bits of the sum over all.
template <class Real>
inline Kernel<void(const Context&, Index, Index, const std::complex<Real>*, const std::complex<Real>*,
                   std::complex<Real>*, bool add)>
    sense_adjoint{"sense adjoint"};

}  // namespace whorl::kernels
