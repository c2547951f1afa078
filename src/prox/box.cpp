#include "whorl/prox/box.hpp"

#include <fmt/format.h>

#include "kernels/penalties/shrink.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

template <class Real>
Box<Real>::Box(const Shape& shape, double low, double high)
    : ProximalFunction<Real>(shape, "box"), low_(low), high_(high) {
  if (!(low <= high)) throw ValueError(fmt::format("box: from {} to {}, expected the lower bound first", low, high));
}

template <class Real>
double Box<Real>::do_value(const Context&, ArrayRef<const Complex>) const {
  return 0;
}

template <class Real>
void Box<Real>::do_prox(const Context& ctx, double, ArrayRef<Complex> x, Index) const {
  kernels::clamp_real<Real>(ctx, x.size(), low_, high_, x.data());
}

template class Box<float>;
template class Box<double>;

}  // namespace whorl
