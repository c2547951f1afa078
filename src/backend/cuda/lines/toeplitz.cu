// From the transform of an impulse response to the spectrum of a convolution, on a GPU.
#include "kernels/toeplitz.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Real>
__global__ void take_real(kernels::GridLayout layout, double scale, const Complex2<Real>* __restrict__ values,
                          Real* __restrict__ spectrum, Index count) {
  const Index rows = layout.extent[1];
  const Index columns = layout.extent[2];
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const Index row = i / columns;
    const Index place = row / rows * layout.plane + row % rows * layout.row + i % columns;
    spectrum[i] = static_cast<Real>(scale * values[place].x);
  }
}

template <class Real>
void real_spectrum(const Context& ctx, const kernels::GridLayout& layout, double scale,
                   const std::complex<Real>* values, Real* spectrum) {
  const Index count = layout.extent[0] * layout.extent[1] * layout.extent[2];
  launch_loop(ctx, "real_spectrum", take_real<Real>, count, layout, scale, as_device(values), spectrum, count);
}

}  // namespace

void register_toeplitz() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::real_spectrum<Real>.set(DeviceKind::cuda, real_spectrum<Real>);
  });
}

}  // namespace whorl::backend::cuda
