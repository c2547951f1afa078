#include "whorl/op/nufft_derivative.hpp"

#include <numbers>

#include "kernels/modulate.hpp"

namespace whorl {

namespace {

// -2 pi i r_a of every pixel, [axis, image...], axes in the order x, y, z.
template <class Real>
Array<std::complex<Real>> coordinates_of(const Context& ctx, const Shape& image) {
  Array<std::complex<Real>> factor(ctx.host(), image.with_front(image.rank()));
  std::complex<Real>* to = factor.data();
  Index stride = 1;
  for (int axis = image.rank() - 1; axis >= 0; --axis) {
    const Index extent = image[axis];
    for (Index pixel = 0; pixel < image.size(); ++pixel) {
      const Index r = pixel / stride % extent - extent / 2;
      *to++ = {0, static_cast<Real>(-2 * std::numbers::pi * static_cast<double>(r))};
    }
    stride *= extent;
  }
  Array<std::complex<Real>> there(ctx, factor.shape());
  copy<std::complex<Real>>(ctx, factor, there);
  ctx.synchronize();  // complete for other contexts too
  return there;
}

}  // namespace

template <class Real>
NufftDerivative<Real>::NufftDerivative(const Context& ctx, const Nufft<Real>& nufft)
    : LinearOperator<Real>(nufft.domain(), nufft.range().with_front(nufft.domain().rank() - 1), "NufftDerivative",
                           nufft.device()),
      of_axes_(nufft, (nufft.domain().rank() - 1) * nufft.domain()[0]),
      coordinates_(coordinates_of<Real>(ctx, nufft.domain().tail())) {}

template <class Real>
void NufftDerivative<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  const Index coils = x.extent(0);
  const Index pixels = x.size() / coils;
  Array<Complex> images(ctx, of_axes_.domain());
  for (Index axis = 0; axis < coordinates_.extent(0); ++axis) {
    kernels::modulate<Real>(ctx, kernels::Factor::plain, coils, pixels, coordinates_.data() + axis * pixels, x.data(),
                            images.data() + axis * x.size());
  }
  of_axes_.forward(ctx, images, ArrayRef<Complex>(y.data(), of_axes_.range(), y.device()));
}

template <class Real>
void NufftDerivative<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  const Index coils = x.extent(0);
  const Index pixels = x.size() / coils;
  Array<Complex> images(ctx, of_axes_.domain());
  of_axes_.adjoint(ctx, ArrayRef<const Complex>(y.data(), of_axes_.range(), y.device()), images);
  for (Index axis = 0; axis < coordinates_.extent(0); ++axis) {
    const auto& multiply = axis == 0 ? kernels::modulate<Real> : kernels::modulate_add<Real>;
    multiply(ctx, kernels::Factor::conjugate, coils, pixels, coordinates_.data() + axis * pixels,
             images.data() + axis * x.size(), x.data());
  }
}

template class NufftDerivative<float>;
template class NufftDerivative<double>;

}  // namespace whorl
