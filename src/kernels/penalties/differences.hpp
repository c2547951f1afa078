// Kernel family: first differences of an image, and the step of total variation on them.
#pragma once

#include <array>
#include <complex>

#include "kernels/penalties/shrink.hpp"
#include "kernels/registry.hpp"

namespace whorl::kernels {

/// First differences D of an image along some of its axes (whorl/op/differences.hpp, weighted_differences.hpp).
template <class Real>
struct Differences {
  std::array<Index, 4> extent{};  ///< frame, z, y, x
  std::array<Real, 4> scale{};    ///< of the differences along each axis, positive; 0: there are none
  const Real* weights = nullptr;  ///< [axis that has differences, frame, z, y, x]; none: 1 everywhere
  bool add = false;               ///< the adjoint and the normal operator add to their result
  std::array<bool, 4> cyclic{};  ///< r+e_a of the last pixel along the axis is the first one; else it has no difference
};

/// y[a,r] = scale_a w[a,r] (x[r+e_a] - x[r]), 0 at the end of an axis that is not cyclic; a counts the axes with differences
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, const std::complex<Real>* x, std::complex<Real>* y)>
    differences_forward{"differences forward"};

/// x[r] = sum_a scale_a (w[a,r-e_a] y[a,r-e_a] - w[a,r] y[a,r]), without the terms beyond either end of an axis that is not cyclic
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, const std::complex<Real>* y, std::complex<Real>* x)>
    differences_adjoint{"differences adjoint"};

/// Forward, then adjoint, in one pass; x and z do not overlap.
template <class Real>
inline Kernel<void(const Context&, const Differences<Real>&, const std::complex<Real>* x, std::complex<Real>* z)>
    differences_normal{"differences normal"};

/// y = P(y + sigma D x) in one pass: P scales the vector of the axes at each pixel to a length of at most `radius`.
/// `value` sums |(D x)[r]|, the norm over the axes.
template <class Real>
inline Kernel<DualSums(const Context&, const Differences<Real>&, double sigma, double radius,
                       const std::complex<Real>* x, std::complex<Real>* y)>
    differences_dual_step{"total variation"};

}  // namespace whorl::kernels
