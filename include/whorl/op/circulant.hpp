// Circulant: the product with a spectrum, and a preconditioner made of it.
#pragma once

#include <memory>

#include "whorl/math/fft.hpp"
#include "whorl/op/operator.hpp"

namespace WHORL_PUBLIC whorl {

/// x -> F^H diag(spectrum) F x for each image of a batch, F the FFT of the image: a convolution that wraps around.
/// Self-adjoint, as the spectrum is real.
///
/// Shapes  spectrum [(z,) y, x], frequency 0 first; domain and range [..., (z,) y, x]
/// Throws  ShapeError (a domain that does not end in the spectrum's axes, of 1 to 3)
/// Threads as LinearOperator
template <class Real>
class Circulant final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// A spectrum on another device is copied to the context's.
  Circulant(const Context& ctx, const Shape& domain, Array<Real> spectrum);

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Array<Real> spectrum_;  // over the number of points, for the inverse FFT
  std::shared_ptr<const FftPlan<Real>> plan_;
};

/// C = S^(-1/2), where S is the convolution with the response of a self-adjoint, positive semi-definite H to the pixel
/// in the middle of the image. The closer H is to a convolution, the closer together are the eigenvalues of C H C: if H
/// is A^H A and samples crowd at the center of k-space, C evens out their density. Solve H x = b as
///
///   conjugate_gradient(ctx, C * H * C, C b, y);   x = C y
///
/// This has the same solution, while density weights in k-space would change it. Values of the spectrum below `least`
/// times its largest value, where there are no samples, are replaced by that bound.
///
/// Cost    one application of H, and two FFTs of an image in each iteration
/// Throws  ValueError (no response in the middle, `least` outside 0 to 1)
/// Source  Chan, SIAM J Sci Stat Comput 9 (1988) 766; for SENSE: Weller, Ramani, Fessler, IEEE Trans Med Imaging 33
///         (2014) 351
template <Precision Real>
WHORL_PUBLIC Operator<Real> circulant_preconditioner(const Context& ctx, const Operator<Real>& H, double least = 1e-3);

}  // namespace whorl
