// What a circulant preconditioner takes beside FFTs, on a GPU.
#include "kernels/circulant.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
__global__ void magnitudes_kernel(Index count, const Complex2<Real>* __restrict__ v, Real* magnitude) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    magnitude[i] = hypot(v[i].x, v[i].y);
  }
}

template <class Real>
__global__ void factors_kernel(kernels::CirculantSpectrum<Real> of, Real scale, Real* factor) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const auto rho = static_cast<Real>(of.rho);
  const auto least = static_cast<Real>(of.least);
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < of.count; i += stride) {
    const Real value = of.h[i] + rho * of.w[i];
    factor[i] = scale / (value > least ? value : least);
  }
}

template <class Real>
__global__ void axpby_outside_kernel(Index count, const Real* __restrict__ inside, Real a, const Complex2<Real>* x,
                                     Real b, Complex2<Real>* y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    if (inside[i] != 0) continue;
    const Complex2<Real> from = x[i];
    Complex2<Real> to = y[i];
    to.x = a * from.x + b * to.x;
    to.y = a * from.y + b * to.y;
    y[i] = to;
  }
}

template <class Real>
void magnitudes(const Context& ctx, Index count, const std::complex<Real>* v, Real* magnitude) {
  launch_loop(ctx, "magnitudes", magnitudes_kernel<Real>, count, count, as_device(v), magnitude);
}

template <class Real>
void circulant_factors(const Context& ctx, const kernels::CirculantSpectrum<Real>& of, double scale, Real* factor) {
  launch_loop(ctx, "circulant_factors", factors_kernel<Real>, of.count, of, static_cast<Real>(scale), factor);
}

template <class Real>
void axpby_outside(const Context& ctx, Index count, const Real* inside, double a, const std::complex<Real>* x, double b,
                   std::complex<Real>* y) {
  launch_loop(ctx, "axpby_outside", axpby_outside_kernel<Real>, count, count, inside, static_cast<Real>(a),
              as_device(x), static_cast<Real>(b), as_device(y));
}

}  // namespace

void register_circulant() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::magnitudes<Real>.set(DeviceKind::cuda, magnitudes<Real>);
    kernels::circulant_factors<Real>.set(DeviceKind::cuda, circulant_factors<Real>);
    kernels::axpby_outside<Real>.set(DeviceKind::cuda, axpby_outside<Real>);
  });
}

}  // namespace whorl::backend::cuda
