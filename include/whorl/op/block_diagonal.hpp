// BlockDiagonal: the same operator on each of several arrays.
#pragma once

#include "whorl/op/operator.hpp"

namespace WHORL_PUBLIC whorl {

/// The same operator on each of `count` consecutive arrays, so that a solver can treat several problems as one:
/// forward y[i] = A x[i], adjoint x[i] = A^H y[i]. The normal operator is A's own for each array.
///
/// Shapes  domain [count, A.domain()...], range [count, A.range()...]
/// Throws  ShapeError (a count below 1)
/// Threads  as LinearOperator
template <class Real>
class BlockDiagonal final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  BlockDiagonal(Operator<Real> block, Index count);

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  Operator<Real> block_;
};

}  // namespace whorl
