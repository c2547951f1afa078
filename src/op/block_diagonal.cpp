#include "whorl/op/block_diagonal.hpp"

#include <fmt/format.h>

#include <utility>

namespace whorl {

namespace {

Index checked_count(Index count) {
  if (count < 1) throw ShapeError(fmt::format("block diagonal: {} blocks, expected at least 1", count));
  return count;
}

}  // namespace

template <class Real>
BlockDiagonal<Real>::BlockDiagonal(Operator<Real> block, Index count)
    : LinearOperator<Real>(block->domain().with_front(checked_count(count)), block->range().with_front(count),
                           "BlockDiagonal"),
      block_(std::move(block)) {}

template <class Real>
void BlockDiagonal<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  for (Index i = 0; i < x.extent(0); ++i) block_->forward(ctx, x.slice(i), y.slice(i));
}

template <class Real>
void BlockDiagonal<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  for (Index i = 0; i < x.extent(0); ++i) block_->adjoint(ctx, y.slice(i), x.slice(i));
}

template <class Real>
void BlockDiagonal<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  for (Index i = 0; i < x.extent(0); ++i) block_->normal(ctx, x.slice(i), z.slice(i));
}

template class BlockDiagonal<float>;
template class BlockDiagonal<double>;

}  // namespace whorl
