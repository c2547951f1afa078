// LinearOperator: The public forward, adjoint and normal check shape and device once and call the private do_*. normal
// is forward, then adjoint, unless an operator overrides it with something faster.
#include "whorl/op/linear_operator.hpp"

#include <fmt/format.h>

#include <utility>

#include "whorl/core/error.hpp"

namespace whorl {

namespace {

// One application: `from` becomes `to`.
template <class Real>
struct Application {
  const Context& ctx;
  const std::string& name;
  const char* what;

  void check_context(const std::optional<Device>& device) const {
    if (!device || *device == ctx.device()) return;
    throw DeviceError(
        fmt::format("{} {}: the operator was made for {}, the context runs on {}; make one with this context", name,
                    what, to_string(*device), to_string(ctx.device())));
  }

  void check(const char* argument, ArrayRef<const std::complex<Real>> array, const Shape& expected) const {
    if (array.shape() != expected) {
      throw ShapeError(fmt::format("{} {}: {} has shape {}, expected {}", name, what, argument,
                                   to_string(array.shape()), to_string(expected)));
    }
    if (!(array.device() == ctx.device())) {
      throw DeviceError(fmt::format("{} {}: {} lies on {}, the context runs on {}; copy it first", name, what, argument,
                                    to_string(array.device()), to_string(ctx.device())));
    }
  }

  void check_apart(const char* from_name, ArrayRef<const std::complex<Real>> from, const char* to_name,
                   ArrayRef<const std::complex<Real>> to) const {
    if (!overlap(from, to)) return;
    throw ValueError(fmt::format("{} {}: {} and {} overlap in memory; {} needs an array of its own", name, what,
                                 from_name, to_name, to_name));
  }
};

}  // namespace

template <class Real>
LinearOperator<Real>::LinearOperator(Shape domain, Shape range, std::string name, std::optional<Device> device)
    : domain_(std::move(domain)), range_(std::move(range)), name_(std::move(name)), device_(device) {}

template <class Real>
void LinearOperator<Real>::forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  const Application<Real> application{ctx, name_, "forward"};
  application.check_context(device_);
  application.check("x", x, domain_);
  application.check("y", y, range_);
  application.check_apart("x", x, "y", y);
  do_forward(ctx, x, y);
}

template <class Real>
void LinearOperator<Real>::adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  const Application<Real> application{ctx, name_, "adjoint"};
  application.check_context(device_);
  application.check("y", y, range_);
  application.check("x", x, domain_);
  application.check_apart("y", y, "x", x);
  do_adjoint(ctx, y, x);
}

template <class Real>
void LinearOperator<Real>::normal(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> z) const {
  const Application<Real> application{ctx, name_, "normal"};
  application.check_context(device_);
  application.check("x", x, domain_);
  application.check("z", z, domain_);
  application.check_apart("x", x, "z", z);
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
