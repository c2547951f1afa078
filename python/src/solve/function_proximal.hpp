// Proximal functions whose work is done by functions of Python.
#pragma once

#include <nanobind/nanobind.h>

#include <complex>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "whorl/prox/proximal_function.hpp"

namespace whorl::python {

template <class Real>
class FunctionProximal final : public ProximalFunction<Real> {
 public:
  using Complex = std::complex<Real>;

  FunctionProximal(const Shape& domain, const nb::object& prox, nb::object value, std::string name)
      : ProximalFunction<Real>(domain, std::move(name)),
        prox_(module("whorl._proximal").attr("adapted")(prox)),
        value_(std::move(value)) {}
  ~FunctionProximal() override {
    const nb::gil_scoped_acquire gil;
    prox_.reset();
    value_.reset();
  }

 private:
  double do_value(const Context& ctx, ArrayRef<const Complex> x) const override {
    const nb::gil_scoped_acquire gil;
    return value_.is_none() ? 0 : nb::cast<double>(nb::float_(value_(copied(ctx, x))));
  }
  void do_prox(const Context& ctx, double step, ArrayRef<Complex> x, Index) const override {
    const nb::gil_scoped_acquire gil;
    Input result(prox_(copied(ctx, x), step), "the result");
    const ArrayRef<const Complex> values = result.as<Complex>();
    if (values.shape() != x.shape()) {
      throw ShapeError(this->name() + ": prox returned shape " + to_string(values.shape()) + ", expected " +
                       to_string(x.shape()));
    }
    copy<Complex>(ctx, values, x);
  }

  // The function may keep it beyond the call.
  nb::object copied(const Context& ctx, ArrayRef<const Complex> x) const {
    Array<Complex> own(ctx, x.shape());
    copy<Complex>(ctx, x, own);
    return result_of(ctx, std::move(own), ctx.device().kind == DeviceKind::cpu ? Framework::numpy : Framework::cupy);
  }

  nb::object prox_;
  nb::object value_;
};

}  // namespace whorl::python
