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
                        Complex* __restrict__ x) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index r = blockIdx.x * Index{blockDim.x} + threadIdx.x; r < pixels; r += stride) {
    Complex sum{0, 0};
    for (Index c = 0; c < coils; ++c) sum = conjugate_multiply_add(maps[c * pixels + r], y[c * pixels + r], sum);
    x[r] = sum;
  }
}

template <class Real>
void sense_forward(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* x, std::complex<Real>* y) {
  forward<<<loop_blocks(ctx, pixels), loop_threads, 0, stream_of(ctx)>>>(coils, pixels, as_device(maps), as_device(x),
                                                                         as_device(y));
  check_launch("sense_forward");
}

template <class Real>
void sense_adjoint(const Context& ctx, Index coils, Index pixels, const std::complex<Real>* maps,
                   const std::complex<Real>* y, std::complex<Real>* x) {
  adjoint<<<loop_blocks(ctx, pixels), loop_threads, 0, stream_of(ctx)>>>(coils, pixels, as_device(maps), as_device(y),
                                                                         as_device(x));
  check_launch("sense_adjoint");
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
