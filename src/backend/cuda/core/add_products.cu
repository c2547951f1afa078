// Sums of products over a batch, element by element, on a GPU.
#include "kernels/add_products.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Complex>
__global__ void add_products_kernel(Index batch, Index count, const Complex* __restrict__ x,
                                    const Complex* __restrict__ y, double* __restrict__ sum) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    double total = sum[i];
    for (Index b = 0; b < batch; ++b) {
      const Complex p = x[b * count + i];
      const Complex q = y[b * count + i];
      total += double(p.x) * q.x + double(p.y) * q.y;
    }
    sum[i] = total;
  }
}

template <class Real>
void add_products(const Context& ctx, Index batch, Index count, const std::complex<Real>* x,
                  const std::complex<Real>* y, double* sum) {
  if (count == 0) return;
  launch_loop(ctx, "add_products", add_products_kernel<Complex2<Real>>, count, batch, count, as_device(x), as_device(y),
              sum);
}

}  // namespace

void register_add_products() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::add_products<Real>.set(DeviceKind::cuda, add_products<Real>);
  });
}

}  // namespace whorl::backend::cuda
