// PositionDft: the exact discrete Fourier transform between samples and arbitrary positions.
#pragma once

#include <memory>

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

namespace kernels {
template <class Real>
class PositionDftPlan;
}

/// Exact transform between values at arbitrary positions r_v and samples k_j: the nonuniform discrete Fourier transform
/// of type 3. The adjoint is the sum of Parboil's MRI-Q and MRI-FHD: Q(r) = sum_j |phi_j|^2 exp(2*pi*i k_j . r).
///
///   forward  y[c,j] = sum_v x[c,v] exp(-2*pi*i k_j . r_v)
///   adjoint  x[c,v] = sum_j y[c,j] exp(+2*pi*i k_j . r_v)
///
/// without a factor in front.
///
/// Shapes    domain [coil, position]; range [coil, sample]
/// Units     k and r reciprocal to each other, such as cycles per pixel and pixels: k.r is in turns
/// Accuracy  each term has a relative error below 1e-5 (float) or 2e-14 (double), for any number of turns k.r; the
///           relative error of a sum is about 1e-6 (float) or 1e-15 (double) (test/unit/op/test_position_dft.cpp, on a
///           GPU test/unit/backend_cuda/test_position_dft.cpp). Partial sums of at most 256 terms are made in Real, and
///           added in double.
/// Cost      samples * positions * coils terms; up to 4 coils share the sine and cosine of a phase
/// Memory    a copy of the positions, on a CPU reordered and padded; at most 400 bytes per position if all lie far
///           apart
/// Throws    ShapeError (shape mismatch), ValueError (a value that is not finite or beyond 1e30, k.r beyond 2^26 turns)
/// Threads   as LinearOperator
template <class Real>
class PositionDft final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  /// points [sample, dim] and positions [position, dim], dim 1 to 3, axes in the same order. Either may be empty.
  PositionDft(const Context& ctx, ArrayRef<const double> points, ArrayRef<const double> positions, Index coils);

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  std::shared_ptr<const kernels::PositionDftPlan<Real>> plan_;
};

}  // namespace whorl
