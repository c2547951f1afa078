// SignalEvolution: any transform, with decay and off-resonance of the signal during the readout.
#pragma once

#include <memory>

#include "whorl/op/operator.hpp"
#include "whorl/op/subspace.hpp"

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
/// Cost    that of F, times the number of factors; the normal operator by spectra does not depend on the number of samples
/// Throws  ShapeError (factors that do not fit F or each other, or none)
/// Threads as LinearOperator
/// Source  Sutton, Noll, Fessler, "Fast, iterative image reconstruction for MRI in the presence of field
///         inhomogeneities", IEEE Trans Med Imaging 22:178 (2003); the normal operator by spectra: Fessler, Lee, Olafsson,
///         Shi, Noll, IEEE Trans Signal Process 53:3393 (2005)
template <class Real>
class SignalEvolution final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  SignalEvolution(Operator<Real> transform, EvolutionFactors<Real> factors);
  /// For a transform F S of one image with coil maps S [coil, (z,) y, x], and the spectra of F with the factors' courses:
  /// the normal operator is sum_lm conj(c_l) S^H T_lm S c_m, where T_lm = F^H diag(conj(b_l) b_m) F is a convolution.
  SignalEvolution(Operator<Real> transform, EvolutionFactors<Real> factors, Array<Complex> maps,
                  std::shared_ptr<const SubspaceSpectra<Real>> spectra);

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Operator<Real> transform_;
  Array<Complex> maps_;
  Array<Complex> courses_;
  Array<Complex> coil_maps_;
  std::shared_ptr<const SubspaceSpectra<Real>> spectra_;  // none: adjoint after forward
};

/// Whether spectra (SubspaceSpectra) are predicted to make the normal operator of a SignalEvolution of SenseNufft faster than
/// adjoint after forward, with a thirtieth of their planning. False where they would take more than a quarter of the memory
/// that the context may use, and for more than 32 factors.
template <class Real>
WHORL_PUBLIC bool spectra_are_faster(const Context& ctx, Index samples, const Shape& image, Index coils, Index factors,
                                     const NufftOptions& options);

}  // namespace whorl
