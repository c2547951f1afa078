#include "whorl/prox/l1.hpp"

#include <fmt/format.h>

#include "kernels/penalties/shrink.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

kernels::Groups groups_of(const Shape& shape, bool joint) {
  return joint ? kernels::Groups{1, shape[0], {1, 1, shape.tail().size()}}
               : kernels::Groups{1, 1, {1, 1, shape.size()}};
}

Shape checked_l1_shape(const Shape& shape, bool joint) {
  if (shape.size() == 0 || (joint && shape.rank() < 2)) {
    throw ShapeError(fmt::format("l1: arrays of shape {}, expected {}", to_string(shape),
                                 joint ? "[member, ...] with elements" : "at least one element"));
  }
  return shape;
}

}  // namespace

template <class Real>
L1<Real>::L1(const Shape& shape, bool joint)
    : ProximalFunction<Real>(checked_l1_shape(shape, joint), joint ? "joint l1" : "l1"), joint_(joint) {}

template <class Real>
double L1<Real>::do_value(const Context& ctx, ArrayRef<const Complex> x) const {
  return kernels::sum_of_norms<Real>(ctx, groups_of(x.shape(), joint_), x.data());
}

template <class Real>
void L1<Real>::do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index) const {
  kernels::shrink_groups<Real>(ctx, groups_of(x.shape(), joint_), step, x.data());
}

template class L1<float>;
template class L1<double>;

}  // namespace whorl
