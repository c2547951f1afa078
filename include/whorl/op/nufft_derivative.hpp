// NufftDerivative: how samples change with their positions in k-space.
#pragma once

#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

/// The derivatives of the samples of a Nufft with respect to the positions k, one for each axis x, y, z:
///
///   forward  y[a,c,j] = d (A x)[c,j] / d k_j[a] = s * sum_r (-2*pi*i r_a) x[c,r] exp(-2*pi*i k_j . r)
///
/// with r and s as in Nufft. These are transforms of the image times its coordinates, so that their error is the
/// Nufft's, not that of the slope of a window.
///
/// For a real function f of y = A x with the gradient g = df/d Re(y) + i df/d Im(y), df/dk_j[a] is the sum over the
/// coils of Re(conj(g[c,j]) forward(x)[a,c,j]). For one of x = A^H y with the gradient h it is the sum of
/// Re(y[c,j] conj(forward(h)[a,c,j])).
///
/// Shapes    domain [coil, z, y, x] ([coil, y, x], [coil, x]); range [axis, coil, sample], axes in the order x, y, z
/// Units     those of x times radians per (cycle per pixel)
/// Accuracy  that of Nufft for the image times its coordinates (NufftAccuracy)
/// Cost      a forward for each axis, all in one batch
/// Memory    that of Nufft, and an image for each axis and coil
/// Threads   as LinearOperator
template <class Real>
class NufftDerivative final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// Shares the transform's plan; the transform itself may be destroyed.
  NufftDerivative(const Context& ctx, const Nufft<Real>& nufft);

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Nufft<Real> of_axes_;         // for all axes and coils
  Array<Complex> coordinates_;  // -2 pi i r_a [axis, z, y, x]
};

}  // namespace whorl
