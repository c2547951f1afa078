// Kernel family: grids of several components, mixed at each point by a Hermitian matrix (op/subspace.cpp).
#pragma once

#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// Grids [component, batch, point]: at each of `points` places of a batch element
///
///   out[k] = sum_l G_kl in[l],   G_kl = spectra[pair(k, l)] for k <= l, conj(spectra[pair(l, k)]) else
///
/// in place, with pairs in the order (0,0), (0,1), ..., (1,1), .... Batches lie as a GridLayout says: groups of `together`
/// grids point by point, the rest one after another. Spectra [pair, point] are complex, or real.
struct MixedGrids {
  Index components = 1;
  Index batch = 1;
  Index points = 0;    ///< of a grid as it lies in memory
  Index together = 1;  ///< GridLayout::together
};

template <class Real>
inline Kernel<void(const Context&, const MixedGrids&, const Real* spectra, std::complex<Real>* grids)>
    mix_by_real_spectra{"subspace"};
template <class Real>
inline Kernel<void(const Context&, const MixedGrids&, const std::complex<Real>* spectra, std::complex<Real>* grids)>
    mix_by_complex_spectra{"subspace"};

/// The most components that they take.
inline constexpr Index most_components = 32;

}  // namespace whorl::kernels
