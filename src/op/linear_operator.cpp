#include "whorl/op/linear_operator.hpp"

#include <fmt/format.h>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

template <class T>
void check(const Context& ctx, const char* operation, const char* argument, ArrayRef<T> array, const Shape& expected) {
  if (array.shape() != expected) {
    throw ShapeError(fmt::format("{}: {} has shape {}, expected {}", operation, argument, to_string(array.shape()),
                                 to_string(expected)));
  }
  if (!(array.device() == ctx.device())) {
    throw DeviceError(fmt::format("{}: {} lies on {}, the context runs on {}; copy it first", operation, argument,
                                  to_string(array.device()), to_string(ctx.device())));
  }
}

}  // namespace

template <class Real>
LinearOperator<Real>::LinearOperator(Shape domain, Shape range)
    : domain_(std::move(domain)), range_(std::move(range)) {}

template <class Real>
void LinearOperator<Real>::forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  check(ctx, "forward", "x", x, domain_);
  check(ctx, "forward", "y", y, range_);
  do_forward(ctx, x, y);
}

template <class Real>
void LinearOperator<Real>::adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  check(ctx, "adjoint", "y", y, range_);
  check(ctx, "adjoint", "x", x, domain_);
  do_adjoint(ctx, y, x);
}

template <class Real>
void LinearOperator<Real>::normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  check(ctx, "normal", "x", x, domain_);
  check(ctx, "normal", "z", z, domain_);
  do_normal(ctx, x, z);
}

template <class Real>
void LinearOperator<Real>::do_normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  Array<Complex> y(ctx, range_);
  do_forward(ctx, x, y);
  do_adjoint(ctx, y, z);
}

template class LinearOperator<float>;
template class LinearOperator<double>;

}  // namespace whorl
