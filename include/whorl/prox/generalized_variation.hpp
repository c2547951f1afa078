// GeneralizedVariation: total generalized variation of second order.
#pragma once

#include "whorl/op/differences.hpp"
#include "whorl/prox/infimal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// Total generalized variation of second order, for piecewise linear images where total variation is for piecewise
/// constant ones:
///
///   g(x) = weight min_w  sum_r |(G x - w)[r]| + ratio sum_r |(E w)[r]|
///
/// G x are the differences to the next pixel along the chosen axes. w is a field with an image for each of these, and E w
/// the symmetric part of the differences of w, with the norm of matrices. At the end of an axis that is not
/// `cyclic`, where x has no difference, w is free: images that are linear along the axes have g = 0.
///
/// Shapes  x as Differences' domain
/// Throws  as Differences; ValueError (a weight or ratio that is not positive)
/// Source  Bredies, Kunisch, Pock, SIAM J Imaging Sci 3 (2010) 492; with a ratio of 2: Knoll, Bredies, Pock, Stollberger,
///         Magn Reson Med 65 (2011) 480
template <class Real>
class GeneralizedVariation final : public InfimalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  GeneralizedVariation(const Shape& shape, DifferenceAxes axes, double weight, double ratio = 2,
                       DifferenceAxes cyclic = {});

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                  ArrayRef<Complex> y) const override;
  void do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                      ArrayRef<Complex> sum_w) const override;

  DifferenceAxes axes_;
  DifferenceAxes cyclic_;
  double second_;  // of E in the operator
};

}  // namespace whorl
