#include "filter/src/kernels/points/wide_complex.hpp"

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

using Complex = std::complex<double>;

const double2* on_device(const Complex* numbers) { return reinterpret_cast<const double2*>(numbers); }
double2* on_device(Complex* numbers) { return reinterpret_cast<double2*>(numbers); }

template <class T>
__global__ void widen_kernel(Index count, bool pairs, const T* __restrict__ from, double2* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    to[i] = pairs ? double2{static_cast<double>(from[2 * i]), static_cast<double>(from[2 * i + 1])}
                  : double2{static_cast<double>(from[i]), 0};
  }
}

template <class T>
__global__ void narrow_kernel(Index count, bool pairs, const double2* __restrict__ a, const double2* __restrict__ b,
                              T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const T real = kernels::number_of<T>(static_cast<float>(a[i].x + b[i].x));
    if (pairs) {
      to[2 * i] = real;
      to[2 * i + 1] = kernels::number_of<T>(static_cast<float>(a[i].y + b[i].y));
    } else {
      to[i] = real;
    }
  }
}

template <class T>
void widen(const Context& ctx, Index count, bool pairs, const T* from, Complex* to) {
  launch_loop(ctx, "widen", widen_kernel<T>, count, count, pairs, from, on_device(to));
}

template <class T>
void narrow(const Context& ctx, Index count, bool pairs, const Complex* a, const Complex* b, T* to) {
  launch_loop(ctx, "narrow", narrow_kernel<T>, count, count, pairs, on_device(a), on_device(b), to);
}

}  // namespace

void register_wide_complex() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::narrow<T>.set(DeviceKind::cuda, narrow<T>);
    kernels::widen<T>.set(DeviceKind::cuda, widen<T>);
  });
}

}  // namespace whorl::backend::cuda
