#include "whorl/math/blas1.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/blas1.hpp"

namespace whorl {

namespace {

void check_device(const Context& ctx, const char* operation, const char* name, Device device) {
  if (device == ctx.device()) return;
  throw DeviceError(fmt::format("{}: {} lies on {}, the context runs on {}; copy it first", operation, name,
                                to_string(device), to_string(ctx.device())));
}

void check_equal(const char* operation, const Shape& x, const Shape& y) {
  if (x != y) {
    throw ShapeError(fmt::format("{}: x has shape {}, y has shape {}; expected equal shapes", operation, to_string(x),
                                 to_string(y)));
  }
}

}  // namespace

template <Precision Real>
std::complex<double> dot(const Context& ctx, ArrayRef<const std::complex<Real>> x,
                         ArrayRef<const std::complex<Real>> y) {
  check_equal("dot", x.shape(), y.shape());
  check_device(ctx, "dot", "x", x.device());
  check_device(ctx, "dot", "y", y.device());
  return kernels::dot<Real>(ctx, x.size(), x.data(), y.data());
}

template <Precision Real>
double norm(const Context& ctx, ArrayRef<const std::complex<Real>> x) {
  check_device(ctx, "norm", "x", x.device());
  return std::sqrt(kernels::dot<Real>(ctx, x.size(), x.data(), x.data()).real());
}

template <Precision Real>
void axpby(const Context& ctx, std::complex<double> a, ArrayRef<const std::complex<Real>> x, std::complex<double> b,
           ConvertedRef<std::complex<Real>> y) {
  check_equal("axpby", x.shape(), y.shape());
  check_device(ctx, "axpby", "x", x.device());
  check_device(ctx, "axpby", "y", y.device());
  kernels::axpby<Real>(ctx, x.size(), a, x.data(), b, y.data());
}

template <Precision Real>
void multiply_weights(const Context& ctx, ArrayRef<const Real> weights, ArrayRef<const std::complex<Real>> x,
                      ConvertedRef<std::complex<Real>> y) {
  check_equal("multiply_weights", x.shape(), y.shape());
  check_device(ctx, "multiply_weights", "x", x.device());
  check_device(ctx, "multiply_weights", "y", y.device());
  const Index count = weights.size();
  if (x.rank() == 0 || x.extent(-1) != count) {
    throw ShapeError(
        fmt::format("multiply_weights: {} weights for an array of shape {}; expected as many weights as "
                    "its last axis is long",
                    count, to_string(x.shape())));
  }
  check_device(ctx, "multiply_weights", "weights", weights.device());
  for (Index start = 0; start < x.size(); start += count) {
    kernels::multiply_real<Real>(ctx, count, weights.data(), x.data() + start, y.data() + start);
  }
}

template <Precision Real>
void to_complex(const Context& ctx, ArrayRef<const Real> x, ConvertedRef<std::complex<Real>> y) {
  check_equal("to_complex", x.shape(), y.shape());
  check_device(ctx, "to_complex", "x", x.device());
  check_device(ctx, "to_complex", "y", y.device());
  kernels::to_complex<Real>(ctx, x.size(), x.data(), y.data());
}

#define WHORL_INSTANTIATE(Real)                                                                                  \
  template std::complex<double> dot<Real>(const Context&, ArrayRef<const std::complex<Real>>,                    \
                                          ArrayRef<const std::complex<Real>>);                                   \
  template double norm<Real>(const Context&, ArrayRef<const std::complex<Real>>);                                \
  template void axpby<Real>(const Context&, std::complex<double>, ArrayRef<const std::complex<Real>>,            \
                            std::complex<double>, ArrayRef<std::complex<Real>>);                                 \
  template void to_complex<Real>(const Context&, ArrayRef<const Real>, ArrayRef<std::complex<Real>>);            \
  template void multiply_weights<Real>(const Context&, ArrayRef<const Real>, ArrayRef<const std::complex<Real>>, \
                                       ArrayRef<std::complex<Real>>)
WHORL_INSTANTIATE(float);
WHORL_INSTANTIATE(double);
#undef WHORL_INSTANTIATE

}  // namespace whorl
