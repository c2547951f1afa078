#include "whorl/op/block_diagonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "kernels/side_by_side.hpp"

namespace whorl {

namespace {

template <class Real>
std::vector<Operator<Real>> repeated_block(const Operator<Real>& block, Index count) {
  if (count < 1) throw ShapeError(fmt::format("block diagonal: {} blocks, expected at least 1", count));
  return std::vector<Operator<Real>>(static_cast<std::size_t>(count), block);
}

template <class Real>
Shape block_domain(const std::vector<Operator<Real>>& blocks) {
  if (blocks.empty()) throw ShapeError("block diagonal: 0 blocks, expected at least 1");
  const Shape& first = blocks.front().domain();
  for (const Operator<Real>& block : blocks) {
    if (block.domain() != first) {
      throw ShapeError(fmt::format("block diagonal: blocks of domains {} and {}, expected equal ones", to_string(first),
                                   to_string(block.domain())));
    }
  }
  return first.with_front(static_cast<Index>(blocks.size()));
}

template <class Real>
Shape block_range(const std::vector<Operator<Real>>& blocks) {
  const Shape& first = blocks.front().range();
  const auto equal = [&](const Operator<Real>& block) { return block.range() == first; };
  if (std::all_of(blocks.begin(), blocks.end(), equal)) return first.with_front(static_cast<Index>(blocks.size()));
  Index elements = 0;
  for (const Operator<Real>& block : blocks) elements += block.range().size();
  return {elements};
}

}  // namespace

template <class Real>
BlockDiagonal<Real>::BlockDiagonal(const Operator<Real>& block, Index count)
    : BlockDiagonal(repeated_block(block, count)) {}

template <class Real>
BlockDiagonal<Real>::BlockDiagonal(std::vector<Operator<Real>> blocks)
    : LinearOperator<Real>(block_domain(blocks), block_range(blocks), "BlockDiagonal"), blocks_(std::move(blocks)) {
  Index start = 0;
  for (const Operator<Real>& block : blocks_) {
    starts_.push_back(start);
    start += block.range().size();
  }
}

template <class Real>
Index BlockDiagonal<Real>::at_once(const Context& ctx, Index count, Index elements) {
  return kernels::pieces_at_once(ctx, count, elements);
}

template <class Real>
template <class T>
ArrayRef<T> BlockDiagonal<Real>::in_range(ArrayRef<T> y, std::size_t i) const {
  return {y.data() + starts_[i], blocks_[i].range(), y.device()};
}

template <class Real>
template <class Work>
void BlockDiagonal<Real>::for_each_block(const Context& ctx, const Work& work) const {
  kernels::side_by_side(ctx, static_cast<Index>(blocks_.size()), blocks_.front().domain().size(),
                        [&](const Context& beside, Index i) { work(beside, static_cast<std::size_t>(i), i); });
}

template <class Real>
void BlockDiagonal<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  for_each_block(ctx, [&](const Context& beside, std::size_t block, Index i) {
    blocks_[block].forward(beside, x.slice(i), in_range(y, block));
  });
}

template <class Real>
void BlockDiagonal<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  for_each_block(ctx, [&](const Context& beside, std::size_t block, Index i) {
    blocks_[block].adjoint(beside, in_range(y, block), x.slice(i));
  });
}

template <class Real>
void BlockDiagonal<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  for_each_block(ctx, [&](const Context& beside, std::size_t block, Index i) {
    blocks_[block].normal(beside, x.slice(i), z.slice(i));
  });
}

template class BlockDiagonal<float>;
template class BlockDiagonal<double>;

}  // namespace whorl
