#include "whorl/prox/proximal_function.hpp"

#include <fmt/format.h>

#include <utility>

#include "whorl/core/error.hpp"
#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

void check_step(const std::string& name, double step) {
  if (!(step > 0)) throw ValueError(fmt::format("{}: a step of {}, expected more than 0", name, step));
}

}  // namespace

template <class Real>
ProximalFunction<Real>::ProximalFunction(Shape domain, std::string name)
    : domain_(std::move(domain)), name_(std::move(name)) {}

template <class Real>
void ProximalFunction<Real>::check(const Context& ctx, ArrayRef<const Complex> x) const {
  if (x.shape() != domain_) {
    throw ShapeError(
        fmt::format("{}: an array of shape {}, expected {}", name_, to_string(x.shape()), to_string(domain_)));
  }
  if (!(x.device() == ctx.device())) {
    throw DeviceError(
        fmt::format("{}: an array on {}, expected it on {}", name_, to_string(x.device()), to_string(ctx.device())));
  }
}

template <class Real>
double ProximalFunction<Real>::value(const Context& ctx, ArrayRef<const Complex> x) const {
  check(ctx, x);
  return do_value(ctx, x);
}

template <class Real>
void ProximalFunction<Real>::prox(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  check(ctx, x);
  check_step(name_, step);
  do_prox(ctx, step, x, pass);
}

template <class Real>
double ProximalFunction<Real>::prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x, Index pass) const {
  check(ctx, x);
  check_step(name_, step);
  return do_prox_and_value(ctx, step, x, pass);
}

template <class Real>
double ProximalFunction<Real>::do_prox_and_value(const Context& ctx, double step, ArrayRef<Complex> x,
                                                 Index pass) const {
  do_prox(ctx, step, x, pass);
  return do_value(ctx, x);
}

// y - step prox_{(weight/step) g}(y / step)
template <class Real>
void ProximalFunction<Real>::dual_prox(const Context& ctx, double step, ArrayRef<Complex> y, double weight,
                                       Index pass) const {
  check(ctx, y);
  check_step(name_, step);
  check_step(name_, weight);
  Array<Complex> point(ctx, y.shape());
  axpby<Real>(ctx, 1 / step, y, 0, point);
  do_prox(ctx, weight / step, point, pass);
  axpby<Real>(ctx, -step, point, 1, y);
}

template <class Real>
DualStepSums ProximalFunction<Real>::dual_step(const Context& ctx, double step, ArrayRef<const Complex> x,
                                               ArrayRef<Complex> y, double weight, Index pass) const {
  check(ctx, x);
  check(ctx, y);
  check_step(name_, step);
  check_step(name_, weight);
  const bool at_point = value_takes_long();
  DualStepSums sums;
  if (!at_point) sums.value = weight * do_value(ctx, x);
  // The proximal point z of x + y / step, then y + step (x - z).
  Array<Complex> z = clone<Complex>(ctx, y);
  axpby<Real>(ctx, 1, x, 1 / step, z);
  if (at_point) {
    sums.value = weight * do_prox_and_value(ctx, weight / step, z, pass);
  } else {
    do_prox(ctx, weight / step, z, pass);
  }
  axpby<Real>(ctx, 1, x, -1, z);
  sums.change = step * step * dot<Real>(ctx, z, z).real();
  axpby<Real>(ctx, step, z, 1, y);
  return sums;
}

template class ProximalFunction<float>;
template class ProximalFunction<double>;

}  // namespace whorl
