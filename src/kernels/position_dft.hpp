// Kernel family: the exact sums between samples and arbitrary positions.
#pragma once

#include <complex>
#include <memory>

#include "kernels/registry.hpp"
#include "whorl/core/array.hpp"

namespace whorl::kernels {

/// Both directions for one set of samples and positions. The values of each coil of a batch are contiguous.
template <class Real>
class PositionDftPlan {
 public:
  virtual ~PositionDftPlan() = default;
  /// samples [batch, sample] = sum over positions of values [batch, position] exp(-2 pi i k.r)
  virtual void forward(const Context& ctx, const std::complex<Real>* values, std::complex<Real>* samples,
                       Index batch) const = 0;
  /// values = sum over samples of sample exp(+2 pi i k.r)
  virtual void adjoint(const Context& ctx, const std::complex<Real>* samples, std::complex<Real>* values,
                       Index batch) const = 0;
};

/// points [sample, dim] and positions [position, dim] in reciprocal units, finite, dim 1 to 3
template <class Real>
inline Kernel<std::shared_ptr<const PositionDftPlan<Real>>(const Context&, ArrayRef<const double>,
                                                           ArrayRef<const double>)>
    make_position_dft_plan{"position dft"};

}  // namespace whorl::kernels
