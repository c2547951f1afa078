#include "whorl/prox/l2_ball.hpp"

#include <fmt/format.h>

#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

template <class Real>
L2Ball<Real>::L2Ball(Array<Complex> center, double radius)
    : ProximalFunction<Real>(center.shape(), "l2 ball"), center_(std::move(center)), radius_(radius) {
  if (!(radius >= 0)) throw ValueError(fmt::format("l2 ball: a radius of {}, expected 0 or more", radius));
}

template <class Real>
double L2Ball<Real>::do_value(const Context&, ArrayRef<const Complex>) const {
  return 0;
}

template <class Real>
void L2Ball<Real>::do_prox(const Context& ctx, double, ArrayRef<Complex> x, Index) const {
  axpby<Real>(ctx, -1, center_, 1, x);
  const double distance = norm<Real>(ctx, x);
  axpby<Real>(ctx, 1, center_, distance > radius_ ? radius_ / distance : 1, x);
}

template class L2Ball<float>;
template class L2Ball<double>;

}  // namespace whorl
