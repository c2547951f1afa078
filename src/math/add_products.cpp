#include "whorl/math/add_products.hpp"

#include <fmt/format.h>

#include "kernels/add_products.hpp"

namespace whorl {

template <Precision Real>
void add_products(const Context& ctx, ArrayRef<const std::complex<Real>> x, ArrayRef<const std::complex<Real>> y,
                  ArrayRef<double> sum) {
  if (x.shape() != y.shape() || x.rank() == 0 || x.shape().tail() != sum.shape()) {
    throw ShapeError(
        fmt::format("add_products: x has shape {}, y {}, the sum {}; expected [batch, ...] twice and [...]",
                    to_string(x.shape()), to_string(y.shape()), to_string(sum.shape())));
  }
  kernels::add_products<Real>(ctx, x.extent(0), sum.size(), x.data(), y.data(), sum.data());
}

template void add_products<float>(const Context&, ArrayRef<const std::complex<float>>,
                                  ArrayRef<const std::complex<float>>, ArrayRef<double>);
template void add_products<double>(const Context&, ArrayRef<const std::complex<double>>,
                                   ArrayRef<const std::complex<double>>, ArrayRef<double>);

}  // namespace whorl
