#include "whorl/op/differences.hpp"

#include <fmt/format.h>

#include "op/difference_kernels.hpp"

namespace whorl {

std::array<Index, 4> series_extent(const Shape& shape, const std::string& operation) {
  if (shape.rank() < 2 || shape.rank() > 4 || shape.size() == 0) {
    throw ShapeError(fmt::format("{}: images of shape {}, expected [y, x], [z, y, x] or [frame, z, y, x] with pixels",
                                 operation, to_string(shape)));
  }
  return {shape.rank() == 4 ? shape[0] : 1, shape.rank() >= 3 ? shape[-3] : 1, shape[-2], shape[-1]};
}

namespace {

Shape checked_difference_range(const Shape& shape, DifferenceAxes axes, DifferenceAxes cyclic) {
  static_cast<void>(series_extent(shape, "differences"));
  check_difference_axes("differences", axes, cyclic);
  return shape.with_front(axes.count());
}

}  // namespace

template <class Real>
Differences<Real>::Differences(const Shape& shape, DifferenceAxes axes, DifferenceAxes cyclic)
    : LinearOperator<Real>(shape, checked_difference_range(shape, axes, cyclic), "Differences"),
      axes_(axes),
      cyclic_(cyclic) {}

template <class Real>
void Differences<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  kernels::differences_forward<Real>(
      ctx, difference_kernel<Real>(series_extent(x.shape(), this->name()), axes_, cyclic_), x.data(), y.data());
}

template <class Real>
void Differences<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  kernels::differences_adjoint<Real>(
      ctx, difference_kernel<Real>(series_extent(x.shape(), this->name()), axes_, cyclic_), y.data(), x.data());
}

template <class Real>
void Differences<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  kernels::differences_normal<Real>(
      ctx, difference_kernel<Real>(series_extent(x.shape(), this->name()), axes_, cyclic_), x.data(), z.data());
}

template class Differences<float>;
template class Differences<double>;

}  // namespace whorl
