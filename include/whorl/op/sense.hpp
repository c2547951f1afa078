// Sense: coil sensitivities as an operator.
#pragma once

#include "whorl/op/linear_operator.hpp"

namespace WHORL_PUBLIC whorl {

/// Multiplies an image by the coil sensitivities s: one image -> one image per coil.
///
///   forward  y[c,r] = s[c,r] x[r]
///   adjoint  x[r] = sum_c conj(s[c,r]) y[c,r]
///
/// Shapes  maps and range [coil, z, y, x] ([coil, y, x] in 2D); domain [z, y, x] ([y, x])
/// Throws  ShapeError (maps of less than two axes)
/// Threads  as LinearOperator
/// Source  Pruessmann et al., MRM 42 (1999) 952
template <class Real>
class Sense final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  explicit Sense(Array<Complex> maps);

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Array<Complex> maps_;
};

}  // namespace whorl
