// BlockDiagonal: an operator for each of several arrays.
#pragma once

#include <vector>

#include "whorl/op/operator.hpp"

namespace WHORL_PUBLIC whorl {

/// Applies an operator A_i to array i of several consecutive arrays, so that a solver can treat several problems as
/// one: forward y[i] = A_i x[i], adjoint x[i] = A_i^H y[i]. The normal operator uses the one of each A_i.
///
/// Shapes  domain [count, A.domain()...]; range [count, A.range()...], or, if the ranges differ, all elements one after
///         another: [n]
/// Throws  ShapeError (a count below 1, domains that differ)
/// Threads as LinearOperator
template <class Real>
class BlockDiagonal final : public LinearOperator<Real> {
 public:
  using Complex = std::complex<Real>;

  BlockDiagonal(const Operator<Real>& block, Index count);
  explicit BlockDiagonal(std::vector<Operator<Real>> blocks);

  /// Number of the `count` blocks, whose domains have `elements` elements, that are applied at a time, each with its own scratch.
  /// Small blocks do not fill a GPU; on a CPU each thread takes one if there are enough, otherwise one uses all threads.
  static Index at_once(const Context& ctx, Index count, Index elements);

 protected:
  void do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const override;

 private:
  void do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const override;
  void do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const override;

  // work(context, block, its number as an index) for each block.
  template <class Work>
  void for_each_block(const Context& ctx, const Work& work) const;

  // The elements of block i in an array of the range.
  template <class T>
  ArrayRef<T> in_range(ArrayRef<T> y, std::size_t i) const;

  std::vector<Operator<Real>> blocks_;
  std::vector<Index> starts_;  // of each block in the range
};

}  // namespace whorl
