// SenseNufft: the encoding operator of parallel imaging along any trajectory.
#pragma once

#include "whorl/op/nufft.hpp"

namespace WHORL_PUBLIC whorl {

/// The non-uniform FFT of one image as each coil receives it: Sense, then Nufft, in one operator that does not store
/// the images of the coils.
///
///   forward  y[c,j] = s * sum_r maps[c,r] x[r] exp(-2*pi*i k_j . r)
///   adjoint  x[r] = s * sum_c conj(maps[c,r]) sum_j y[c,j] exp(+2*pi*i k_j . r)
///
/// with r and s as in Nufft. The normal operator is a convolution if that of the Nufft is. Sums over coils have a fixed
/// order, so each run gives the same bits.
///
/// Shapes    maps [coil, z, y, x] ([coil, y, x] in 2D), domain [z, y, x] ([y, x]); range [coil, sample]
/// Accuracy  that of Nufft
/// Memory    that of Nufft
/// Throws    ShapeError (maps of another shape than the transform's domain), DeviceError (maps on another device than
///           the transform)
/// Threads   as LinearOperator
/// Source    Pruessmann, Weiger, Boernert, Boesiger, Magn Reson Med 46 (2001) 638
template <class Real>
class SenseNufft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// Shares the transform's plan; the transform itself may be destroyed.
  SenseNufft(const Nufft<Real>& nufft, Array<Complex> maps);
  SenseNufft(SenseNufft&&) noexcept;
  ~SenseNufft() override;

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  std::shared_ptr<const NufftPlan<Real>> plan_;
  Array<Complex> maps_;
};

}  // namespace whorl
