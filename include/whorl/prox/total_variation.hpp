// TotalVariation: the sum of the lengths of an image's gradients.
#pragma once

#include "whorl/op/differences.hpp"
#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// Isotropic total variation g(x) = w sum_r sqrt(sum_a |x[r+e_a] - x[r]|^2) over the chosen axes a of images or of a
/// series, without wraparound but along the axes that are `cyclic`. Its proximal operator has no closed form. Solvers use its dual variable y instead:
///
///   g(x) = max { Re <y, D x> : |y[r]| <= 2 sqrt(n) w at each pixel },  D = Differences, of norm 1 at most.
///
/// Shapes  x as Differences' domain, y as its range
/// Throws  as Differences; ValueError (a weight or step that is not positive)
/// Source  Rudin, Osher, Fatemi, Physica D 60 (1992) 259; the dual: Chambolle, J Math Imaging Vis 20 (2004) 89
template <class Real>
class TotalVariation {
 public:
  using Complex = std::complex<Real>;

  TotalVariation(const Shape& shape, DifferenceAxes axes, double weight, DifferenceAxes cyclic = {});

  const Shape& domain() const { return op_.domain(); }
  const Shape& range() const { return op_.range(); }
  /// D.
  const Differences<Real>& differences() const { return op_; }

  double value(const Context& ctx, ArrayRef<const Complex> x) const;
  /// y = prox_{sigma g*}(y + sigma D x), in one pass over y and x. The value is that of x.
  DualStepSums dual_step(const Context& ctx, double sigma, ArrayRef<const Complex> x, ArrayRef<Complex> y) const;
  /// sum += D^H y
  void add_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> sum) const;
  /// sum += factor D^H D x, factor above 0
  void add_normal(const Context& ctx, double factor, ArrayRef<const Complex> x, ArrayRef<Complex> sum) const;

 private:
  Differences<Real> op_;
  DifferenceAxes axes_;
  DifferenceAxes cyclic_;
  double weight_;
};

}  // namespace whorl
