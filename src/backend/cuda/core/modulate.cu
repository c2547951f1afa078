// Products with complex factors on a GPU.
#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/modulate.hpp"

namespace whorl::backend::cuda {

namespace {

// A thread loads its factor once for the whole batch.
template <bool add, class Real>
__global__ void multiply_runs(Real sign, Index batch, Index count, const Complex2<Real>* __restrict__ f,
                              const Complex2<Real>* x, Complex2<Real>* y) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Complex2<Real> factor{f[i].x, sign * f[i].y};
    for (Index b = 0; b < batch; ++b) {
      const Complex2<Real> value = x[b * count + i];
      y[b * count + i] = add ? multiply_add(factor, value, y[b * count + i]) : cuda::multiply(factor, value);
    }
  }
}

template <bool add, class Real>
void multiply(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
              const std::complex<Real>* x, std::complex<Real>* y) {
  const auto sign = static_cast<Real>(factor == kernels::Factor::plain ? 1 : -1);
  launch_loop(ctx, "modulate", multiply_runs<add, Real>, count, sign, batch, count, as_device(f), as_device(x),
              as_device(y));
}

template <class Real>
void modulate(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
              const std::complex<Real>* x, std::complex<Real>* y) {
  multiply<false>(ctx, factor, batch, count, f, x, y);
}

template <class Real>
void modulate_add(const Context& ctx, kernels::Factor factor, Index batch, Index count, const std::complex<Real>* f,
                  const std::complex<Real>* x, std::complex<Real>* y) {
  multiply<true>(ctx, factor, batch, count, f, x, y);
}

}  // namespace

void register_modulate() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::modulate<Real>.set(DeviceKind::cuda, modulate<Real>);
    kernels::modulate_add<Real>.set(DeviceKind::cuda, modulate_add<Real>);
  });
}

}  // namespace whorl::backend::cuda
