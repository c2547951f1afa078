// Composition of operators.
#pragma once

#include "whorl/op/linear_operator.hpp"

namespace whorl {

/// outer after inner: forward y = outer(inner(x)), adjoint x = inner^H(outer^H(y)); the normal operator uses outer's
/// own. Throws ShapeError unless outer's domain is inner's range.
template <class Real>
class Composition final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  Composition(SharedOperator<Real> outer, SharedOperator<Real> inner);

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  SharedOperator<Real> outer_;
  SharedOperator<Real> inner_;
};

}  // namespace whorl
