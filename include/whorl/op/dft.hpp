// Dft: the exact discrete Fourier transform along a trajectory, term by term.
#pragma once

#include <memory>

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

namespace kernels {
template <class Real>
class Convolution;
}
template <class Real>
struct NormalSpectrum;

struct DftOptions {
  /// Allowed relative l2 error. From 1e-3 on, a GPU multiplies half-precision numbers (11 bits) in float, in half the
  /// time or less. From 1e-5 on, a CPU sums the adjoint of floats in single precision, in less time; its forward
  /// transform is exact. The error is then that of sums of terms: small against an image that is not small against all of these.
  double tolerance = 0;
};

/// Exact transform: Cartesian image -> samples along a k-space trajectory. The reference for Nufft.
///
///   forward  y[c,j] = s * sum_r x[c,r] exp(-2*pi*i k_j . r)
///   adjoint  x[c,r] = s * sum_j y[c,j] exp(+2*pi*i k_j . r)
///
/// with r_d in {-floor(N_d/2), ..., ceil(N_d/2)-1} and s = 1/sqrt(prod N_d).
///
/// Shapes    domain [coil, z, y, x] ([coil, y, x] in 2D); range [coil, sample]
/// Units     k in cycles per pixel, |k| <= 0.5; r in pixels
/// Accuracy  sums in double precision for both types, with phases right to 1e-16 turns: relative error below 1e-14
///           (double) or one rounding of the result (float) (test/unit/op/test_dft.cpp). On a GPU a float is the sum of
///           two half-precision numbers: relative error below 4e-6, typically 5e-7 (test/unit/backend_cuda/test_dft.cpp)
/// Cost      samples * pixels * coils terms of two real multiplications and additions each. The sum over a line uses
///           the sum and the difference of the pixels at x and -x, with a cosine and a sine. It is a product of real
///           matrices; a GPU computes it on tensor cores.
/// Memory    dft_memory
/// Progress  on a CPU an application of 2^31 terms or more is a stage of its own, one step per sample
/// Throws    ShapeError (shape mismatch), ValueError (|k| > 0.5, non-finite k, a tolerance below zero), Cancelled
/// Threads   as LinearOperator
template <class Real>
class Dft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// points [sample, dim]; image_shape [y, x] or [z, y, x] with as many axes as points has columns.
  Dft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
      const DftOptions& options = {});
  /// A transform with a given A^H A (whorl/op/normal_spectrum.hpp), applied as a convolution instead of forward, then adjoint.
  /// Throws ShapeError if it is for another image shape.
  Dft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
      const DftOptions& options, const NormalSpectrum<Real>& normal);
  /// The transform for another number of coils. The positions and A^H A are shared.
  Dft(const Dft& other, Index coils);
  Dft(Dft&&) noexcept;
  ~Dft() override;

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  std::shared_ptr<const Array<double>> points_;
  double tolerance_;
  std::shared_ptr<const kernels::Convolution<Real>> normal_;  // none: adjoint after forward
};

/// Bytes that an application takes on the context's device: sums in double for every pixel and coil; on a CPU also a
/// copy of the positions and tables for a block of samples; on a GPU also tables for at most 16384 samples, predicted
/// to a factor of two.
Index dft_memory(const Context& ctx, Index samples, const Shape& image_shape, Index coils);

}  // namespace whorl
