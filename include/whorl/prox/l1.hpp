// L1: the sum of magnitudes, of single values or of groups.
#pragma once

#include "whorl/prox/proximal_function.hpp"

namespace WHORL_PUBLIC whorl {

/// g(x) = sum_r |x[r]| of complex values, or of groups: with `joint`, |x[r]| is the Euclidean norm over the first axis.
///
///   prox_{t g}(x)[r] = max(0, 1 - t / |x[r]|) x[r]
///
/// Shapes  any; [member, ...] with `joint`
/// Throws  ShapeError (no elements, joint without two axes)
/// Source  Donoho, IEEE Trans Inf Theory 41 (1995) 613; groups: Yuan and Lin, J R Stat Soc B 68 (2006) 49
template <class Real>
class L1 final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit L1(const Shape& shape, bool joint = false);

  bool is_pointwise() const override { return true; }

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override;
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const override;

  bool joint_;
};

}  // namespace whorl
