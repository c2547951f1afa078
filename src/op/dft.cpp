#include "whorl/op/dft.hpp"

#include <fmt/format.h>

#include <cmath>

#include "kernels/dft.hpp"
#include "op/encoding_shapes.hpp"

namespace whorl {

namespace {

kernels::DftGeometry geometry_of(ArrayRef<const double> points, const Shape& domain, double tolerance) {
  const Shape image = domain.tail();
  return {points, padded_to_3d(image), 1 / std::sqrt(static_cast<double>(image.size())), tolerance};
}

double checked_tolerance(double tolerance) {
  if (!(tolerance >= 0)) {
    throw ValueError(fmt::format("dft: tolerance {}; expected zero or a relative error above it", tolerance));
  }
  return tolerance;
}

}  // namespace

template <class Real>
Dft<Real>::Dft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils,
               const DftOptions& options)
    : LinearOperator<Real>(encoding_domain(ctx, "dft", points, image_shape, coils), {coils, points.extent(0)}),
      points_(clone(ctx, points)),
      tolerance_(checked_tolerance(options.tolerance)) {}

template <class Real>
void Dft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  kernels::dft_forward<Real>(ctx, geometry_of(points_, this->domain(), tolerance_), x.data(), y.data(), x.extent(0));
}

template <class Real>
void Dft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  kernels::dft_adjoint<Real>(ctx, geometry_of(points_, this->domain(), tolerance_), y.data(), x.data(), x.extent(0));
}

template class Dft<float>;
template class Dft<double>;

}  // namespace whorl
