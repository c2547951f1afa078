// Factors of a circulant preconditioner on a GPU.
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
__global__ void factors_kernel(kernels::CirculantSpectrum<Real> of, Real scale, Real* factor, Real* inverse) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const auto rho = static_cast<Real>(of.rho);
  const auto least = static_cast<Real>(of.least);
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < of.count; i += stride) {
    const Real value = of.h[i] + rho * of.w[i];
    const Real root = sqrt(value > least ? value : least);
    factor[i] = scale / root;
    inverse[i] = scale * root;
  }
}

template <class Real>
void magnitudes(const Context& ctx, Index count, const std::complex<Real>* v, Real* magnitude) {
  launch_loop(ctx, "magnitudes", magnitudes_kernel<Real>, count, count, as_device(v), magnitude);
}

template <class Real>
void circulant_factors(const Context& ctx, const kernels::CirculantSpectrum<Real>& of, double scale, Real* factor,
                       Real* inverse) {
  launch_loop(ctx, "circulant_factors", factors_kernel<Real>, of.count, of, static_cast<Real>(scale), factor, inverse);
}

}  // namespace

void register_circulant() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::magnitudes<Real>.set(DeviceKind::cuda, magnitudes<Real>);
    kernels::circulant_factors<Real>.set(DeviceKind::cuda, circulant_factors<Real>);
  });
}

}  // namespace whorl::backend::cuda
