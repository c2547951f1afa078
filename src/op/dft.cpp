#include "whorl/op/dft.hpp"

#include <cmath>

#include "kernels/dft.hpp"
#include "op/encoding_shapes.hpp"

namespace whorl {

namespace {

kernels::DftGeometry geometry_of(ArrayRef<const double> points, const Shape& domain) {
  const Shape image = domain.tail();
  return {points, padded_to_3d(image), 1 / std::sqrt(static_cast<double>(image.size()))};
}

}  // namespace

template <class Real>
Dft<Real>::Dft(const Context& ctx, ArrayRef<const double> points, const Shape& image_shape, Index coils)
    : LinearOperator<Real>(encoding_domain(ctx, "dft", points, image_shape, coils), {coils, points.extent(0)}),
      points_(clone(ctx, points)) {}

template <class Real>
void Dft<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  kernels::dft_forward<Real>(ctx, geometry_of(points_, this->domain()), x.data(), y.data(), x.extent(0));
}

template <class Real>
void Dft<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  kernels::dft_adjoint<Real>(ctx, geometry_of(points_, this->domain()), y.data(), x.data(), x.extent(0));
}

template class Dft<float>;
template class Dft<double>;

}  // namespace whorl
