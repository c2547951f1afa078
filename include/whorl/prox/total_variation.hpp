// TotalVariation: the sum of the lengths of an image's gradients.
#pragma once

#include "whorl/op/differences.hpp"
#include "whorl/prox/infimal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// Isotropic total variation g(x) = w sum_r sqrt(sum_a |x[r+e_a] - x[r]|^2) over the chosen axes a of images or of a
/// series, without wraparound but along the axes that are `cyclic`. Its proximal operator has no closed form. Solvers use its dual variable y instead:
///
///   g(x) = max { Re <y, D x> : |y[r]| <= 2 sqrt(n) w at each pixel },  D = Differences, of norm 1 at most.
///
/// There are no further unknowns. dual_step and add_normal pass once over their arrays and need no other.
///
/// Shapes  x as Differences' domain, y as its range
/// Throws  as Differences; ValueError (a weight or step that is not positive)
/// Source  Rudin, Osher, Fatemi, Physica D 60 (1992) 259; the dual: Chambolle, J Math Imaging Vis 20 (2004) 89
template <class Real>
class TotalVariation final : public InfimalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  TotalVariation(const Shape& shape, DifferenceAxes axes, double weight, DifferenceAxes cyclic = {});

  /// g(x)
  double value(const Context& ctx, ArrayRef<const Complex> x) const { return InfimalFunction<Real>::value(ctx, x, {}); }

 protected:
  DualStepSums do_dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                            ArrayRef<Complex> y) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                  ArrayRef<Complex> y) const override;
  void do_add_adjoint(const Context& ctx, double factor, ArrayRef<const Complex> y, ArrayRef<Complex> sum_x,
                      ArrayRef<Complex> sum_w) const override;
  void do_add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<const Complex> w,
                     ArrayRef<Complex> sum_x, ArrayRef<Complex> sum_w) const override;

  Differences<Real> op_;
  DifferenceAxes axes_;
  DifferenceAxes cyclic_;
  double radius_;  // of the vectors of y
};

}  // namespace whorl
