// Kernel family: weighted first differences of an image.
#pragma once

#include <array>
#include <complex>

#include "kernels/registry.hpp"

namespace whorl::kernels {

/// W of whorl/op/weighted_differences.hpp on an image of three axes, the first of extent 1 and without differences
/// where there are two.
template <class Real>
struct Differences {
  std::array<Index, 3> extent{};  ///< z, y, x
  int axes = 3;                   ///< the last so many have differences
  Real scale = 1;
  const Real* weights = nullptr;  ///< [axis, z, y, x]; none: 1 everywhere
};

/// y[a,r] = scale w[a,r] (x[r+e_a] - x[r]), 0 at the end of the axis
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, const std::complex<Real>* x, std::complex<Real>* y)>
    differences_forward{"weighted differences forward"};

/// x[r] = scale sum_a (w[a,r-e_a] y[a,r-e_a] - w[a,r] y[a,r]), without the terms beyond either end of an axis
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, const std::complex<Real>* y, std::complex<Real>* x)>
    differences_adjoint{"weighted differences adjoint"};

/// The adjoint after the forward one, in one pass; x and z do not overlap.
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, const std::complex<Real>* x, std::complex<Real>* z)>
    differences_normal{"weighted differences normal"};

}  // namespace whorl::kernels
