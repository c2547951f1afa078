#include "whorl/op/sense.hpp"

#include <fmt/format.h>

#include <utility>

#include "kernels/sense.hpp"
#include "whorl/core/error.hpp"

namespace whorl {

namespace {

Shape image_of(const Shape& maps) {
  if (maps.rank() < 2) {
    throw ShapeError(fmt::format("sense: maps of shape {}, expected [coil, (z,) y, x]", to_string(maps)));
  }
  return maps.tail();
}

}  // namespace

template <class Real>
Sense<Real>::Sense(Array<Complex> maps)
    : LinearOperator<Real>(image_of(maps.shape()), maps.shape(), "Sense", maps.device()), maps_(std::move(maps)) {}

template <class Real>
void Sense<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  kernels::sense_forward<Real>(ctx, maps_.extent(0), x.size(), maps_.data(), x.data(), y.data());
}

template <class Real>
void Sense<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  kernels::sense_adjoint<Real>(ctx, maps_.extent(0), x.size(), maps_.data(), y.data(), x.data(), false);
}

template class Sense<float>;
template class Sense<double>;

}  // namespace whorl
