// Sums and updates of long vectors on a GPU. Sums are in double and in a fixed order.
#include "kernels/blas1.hpp"

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Complex>
__global__ void __launch_bounds__(loop_threads)
    dot_partial(Index count, const Complex* __restrict__ x, const Complex* __restrict__ y, double2* partial) {
  double real = 0;
  double imag = 0;
  for (Index i = blockIdx.x * Index{loop_threads} + threadIdx.x; i < count; i += Index{gridDim.x} * loop_threads) {
    const Complex a = x[i];
    const Complex b = y[i];
    real += double(a.x) * b.x + double(a.y) * b.y;
    imag += double(a.x) * b.y - double(a.y) * b.x;
  }
  real = block_sum<loop_threads>(real);
  imag = block_sum<loop_threads>(imag);
  if (threadIdx.x == 0) partial[blockIdx.x] = {real, imag};
}

__global__ void __launch_bounds__(loop_threads) dot_total(int count, const double2* partial, double2* total) {
  double real = 0;
  double imag = 0;
  for (int i = threadIdx.x; i < count; i += loop_threads) {
    real += partial[i].x;
    imag += partial[i].y;
  }
  real = block_sum<loop_threads>(real);
  imag = block_sum<loop_threads>(imag);
  if (threadIdx.x == 0) *total = {real, imag};
}

template <class Real>
__global__ void axpby_kernel(Index count, Complex2<Real> a, const Complex2<Real>* x, Complex2<Real> b, bool overwrite,
                             Complex2<Real>* y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    Complex2<Real> sum = multiply(a, x[i]);
    if (!overwrite) sum = multiply_add(b, y[i], sum);  // y may otherwise be uninitialized memory
    y[i] = sum;
  }
}

template <class Real>
__global__ void multiply_real_kernel(Index count, const Real* __restrict__ weights, const Complex2<Real>* x,
                                     Complex2<Real>* y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Real w = weights[i];
    const Complex2<Real> value = x[i];
    y[i] = {w * value.x, w * value.y};
  }
}

template <class Real>
__global__ void to_complex_kernel(Index count, const Real* __restrict__ x, Complex2<Real>* __restrict__ y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) y[i] = {x[i], Real(0)};
}

template <class Real>
Complex2<Real> narrowed(std::complex<double> value) {
  return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
}

template <class Real>
std::complex<double> dot(const Context& ctx, Index count, const std::complex<Real>* x, const std::complex<Real>* y) {
  const int blocks = partial_sums(count);
  Array<double> partial(ctx, {2 * blocks});
  auto* total = static_cast<double2*>(mailbox_of(ctx));
  launch(ctx, "dot", dot_partial<Complex2<Real>>, {blocks, loop_threads}, count, as_device(x), as_device(y),
         reinterpret_cast<double2*>(partial.data()));
  launch(ctx, "dot", dot_total, {1, loop_threads}, blocks, reinterpret_cast<const double2*>(partial.data()), total);
  ctx.synchronize();
  return {total->x, total->y};
}

template <class Real>
void axpby(const Context& ctx, Index count, std::complex<double> a, const std::complex<Real>* x, std::complex<double> b,
           std::complex<Real>* y) {
  if (count == 0) return;
  launch_loop(ctx, "axpby", axpby_kernel<Real>, count, count, narrowed<Real>(a), as_device(x), narrowed<Real>(b),
              b == 0.0, as_device(y));
}

template <class Real>
void multiply_real(const Context& ctx, Index count, const Real* weights, const std::complex<Real>* x,
                   std::complex<Real>* y) {
  if (count == 0) return;
  launch_loop(ctx, "multiply_real", multiply_real_kernel<Real>, count, count, weights, as_device(x), as_device(y));
}

template <class Real>
void to_complex(const Context& ctx, Index count, const Real* x, std::complex<Real>* y) {
  if (count == 0) return;
  launch_loop(ctx, "to_complex", to_complex_kernel<Real>, count, count, x, as_device(y));
}

}  // namespace

void register_blas1() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::dot<Real>.set(DeviceKind::cuda, dot<Real>);
    kernels::axpby<Real>.set(DeviceKind::cuda, axpby<Real>);
    kernels::multiply_real<Real>.set(DeviceKind::cuda, multiply_real<Real>);
    kernels::to_complex<Real>.set(DeviceKind::cuda, to_complex<Real>);
  });
}

}  // namespace whorl::backend::cuda
