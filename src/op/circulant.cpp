#include "whorl/op/circulant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "whorl/math/blas1.hpp"

namespace whorl {

namespace {

Shape checked_circulant_domain(const Shape& domain, const Shape& spectrum) {
  const int rank = spectrum.rank();
  bool fits = rank >= 1 && rank <= 3 && rank <= domain.rank() && spectrum.size() > 0;
  for (int axis = 1; fits && axis <= rank; ++axis) fits = domain[-axis] == spectrum[-axis];
  if (!fits) {
    throw ShapeError(
        fmt::format("circulant: a spectrum of shape {} for images of shape {}, expected their last 1 to 3 axes",
                    to_string(spectrum), to_string(domain)));
  }
  return domain;
}

}  // namespace

template <class Real>
Circulant<Real>::Circulant(const Context& ctx, const Shape& domain, Array<Real> spectrum)
    : LinearOperator<Real>(checked_circulant_domain(domain, spectrum.shape()), domain, "Circulant", ctx.device()),
      plan_(make_fft_plan<Real>(ctx, spectrum.shape())) {
  Array<Real> scaled = to_host<const Real>(ctx, spectrum);
  for (Real& value : scaled.span()) value /= static_cast<Real>(scaled.size());
  scaled.reshape({scaled.size()});
  spectrum_ = ctx.device() == scaled.device() ? std::move(scaled) : clone<Real>(ctx, scaled.ref());
}

template <class Real>
void Circulant<Real>::do_forward(const Context& ctx, ArrayRef<const Complex> x, ArrayRef<Complex> y) const {
  const Index batch = x.size() / spectrum_.size();
  const auto flat = y.reshape({batch, spectrum_.size()});
  copy<Complex>(ctx, x, y);
  plan_->execute(ctx, FftDirection::forward, y.data(), batch);
  multiply_weights<Real>(ctx, spectrum_, flat, flat);
  plan_->execute(ctx, FftDirection::inverse, y.data(), batch);
}

template <class Real>
void Circulant<Real>::do_adjoint(const Context& ctx, ArrayRef<const Complex> y, ArrayRef<Complex> x) const {
  do_forward(ctx, y, x);
}

template <Precision Real>
Operator<Real> circulant_preconditioner(const Context& ctx, const Operator<Real>& H, double least) {
  using Complex = std::complex<Real>;
  if (!(least > 0 && least <= 1)) {
    throw ValueError(fmt::format("circulant preconditioner: least is {}, expected above 0, up to 1", least));
  }
  const Shape& image = H.domain();
  // The pixel with the index floor(n/2) along each axis, and what H makes of it.
  Index middle = 0;
  for (const Index n : image) middle = middle * n + n / 2;
  Array<Complex> point = zeros<Complex>(ctx.host(), image);
  point.data()[middle] = 1;
  const Array<Complex> point_there = clone<Complex>(ctx, point.ref());
  Array<Complex> response(ctx, image);
  H.forward(ctx, point_there, response);
  // The centered transform has its origin at that pixel; the operator's spectrum begins with frequency 0.
  Array<Complex> here = to_host<Complex>(ctx, response.ref());
  centered_fft<Real>(ctx.host(), FftDirection::forward, here, image.rank());
  Array<Real> spectrum(ctx.host(), image);
  Real largest = 0;
  for (const Complex value : here.span()) largest = std::max(largest, value.real());
  if (!(largest > 0)) {
    throw ValueError(
        "circulant preconditioner: no response of the pixel in the middle of the image; expected maps that "
        "are not 0 there");
  }
  for (Index r = 0; r < here.size(); ++r) {
    Index rest = r;
    Index place = 0;
    Index stride = 1;
    for (int axis = 1; axis <= image.rank(); ++axis) {
      const Index n = image[-axis];
      place += (rest % n + n - n / 2) % n * stride;  // index floor(n/2) comes first
      rest /= n;
      stride *= n;
    }
    const Real value = std::max(here.data()[r].real() / largest, static_cast<Real>(least));
    spectrum.data()[place] = 1 / std::sqrt(value);
  }
  return Circulant<Real>(ctx, image, std::move(spectrum));
}

template class Circulant<float>;
template class Circulant<double>;
template Operator<float> circulant_preconditioner<float>(const Context&, const Operator<float>&, double);
template Operator<double> circulant_preconditioner<double>(const Context&, const Operator<double>&, double);

}  // namespace whorl
