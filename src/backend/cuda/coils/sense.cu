// Products with coil sensitivities on a GPU. Which kernel takes which input, and why:
//
//   images of coils in memory         forward, adjoint                  for any encoding
//   between an image and the grids    transform_products, sum_products  within the first and last pass of the transform:
//   of a NUFFT, or of its normal      (lines/coil_line_passes.cuh)      no coil image is stored
//   operator
#include "kernels/sense.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Complex>
__global__ void forward(Index coils, Index pixels, const Complex* __restrict__ maps, const Complex* __restrict__ x,
                        Complex* __restrict__ y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index r = blockIdx.x * Index{blockDim.x} + threadIdx.x; r < pixels; r += stride) {
    const Complex value = x[r];
    for (Index c = 0; c < coils; ++c) y[c * pixels + r] = multiply(maps[c * pixels + r], value);
  }
}

template <class Complex>
__global__ void adjoint(Index coils, Index pixels, const Complex* __restrict__ maps, const Complex* __restrict__ y,
                        Complex* __restrict__ x, bool add) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index r = blockIdx.x * Index{blockDim.x} + threadIdx.x; r < pixels; r += stride) {
    Complex sum{0, 0};
    if (add) sum = x[r];
    for (Index c = 0; c < coils; ++c) sum = conjugate_multiply_add(maps[c * pixels + r], y[c * pixels + r], sum);
    x[r] = sum;
  }
}

template <class Real>
void sense_forward(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* x, std::complex<Real>* y) {
  launch_loop(ctx, "sense_forward", forward<Complex2<Real>>, pixels, coils, pixels, as_device(maps), as_device(x),
              as_device(y));
}

template <class Real>
void sense_adjoint(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* y, std::complex<Real>* x, bool add) {
  launch_loop(ctx, "sense_adjoint", adjoint<Complex2<Real>>, pixels, coils, pixels, as_device(maps), as_device(y),
              as_device(x), add);
}

}  // namespace

void register_sense() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::sense_forward<Real>.set(DeviceKind::cuda, sense_forward<Real>);
    kernels::sense_adjoint<Real>.set(DeviceKind::cuda, sense_adjoint<Real>);
  });
}

}  // namespace whorl::backend::cuda
