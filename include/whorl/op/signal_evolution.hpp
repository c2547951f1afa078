// SignalEvolution: any transform, with decay and off-resonance of the signal during the readout.
#pragma once

#include "whorl/op/operator.hpp"

namespace WHORL_PUBLIC whorl {

/// The evolution e(r, t) of the signal at r as a short sum of products, e(r, t_j) = sum_l c_l(r) b_l(t_j).
template <class Real>
struct EvolutionFactors {
  Array<std::complex<Real>> maps;     ///< c [l, (z,) y, x]
  Array<std::complex<Real>> courses;  ///< b [l, sample]
  double error = 0;                   ///< relative l2 error of the sum, see evolution_factors
};

/// A transform F, such as Nufft or SenseNufft, of a signal that evolves during the readout:
///
///   forward  y[c,j] = sum_l b_l[j] (F (c_l x))[c,j]
///   adjoint  x[c,r] = sum_l conj(c_l[r]) (F^H (conj(b_l) y))[c,r]
///
/// For F = Nufft this is y_j = s sum_r x_r e(r, t_j) exp(-2 pi i k_j.r).
///
/// Shapes  domain and range F's: [coil, (z,) y, x] or [(z,) y, x]; [coil, sample]
/// Cost    that of F, times the number of factors
/// Throws  ShapeError (factors that do not fit F or each other, or none)
/// Threads as LinearOperator
/// Source  Sutton, Noll, Fessler, "Fast, iterative image reconstruction for MRI in the presence of field
///         inhomogeneities", IEEE Trans Med Imaging 22:178 (2003)
template <class Real>
class SignalEvolution final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  SignalEvolution(Operator<Real> transform, EvolutionFactors<Real> factors);

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Operator<Real> transform_;
  Array<Complex> maps_;
  Array<Complex> courses_;
};

}  // namespace whorl
