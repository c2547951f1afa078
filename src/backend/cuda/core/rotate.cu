// Grids whose origin moves, on a GPU.
#include "kernels/rotate.hpp"

#include "backend/cuda/device/complex.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class Complex>
__global__ void rotate_kernel(int3 extent, int3 shift, const Complex* __restrict__ in, Complex* __restrict__ out) {
  const Index count = Index{extent.x} * extent.y * extent.z;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    const int x = (static_cast<int>(i % extent.x) + shift.x) % extent.x;
    const int y = (static_cast<int>(i / extent.x % extent.y) + shift.y) % extent.y;
    const int z = (static_cast<int>(i / extent.x / extent.y) + shift.z) % extent.z;
    out[(Index{z} * extent.y + y) * extent.x + x] = in[i];
  }
}

int3 to_int3(const std::array<Index, 3>& zyx) {
  return {static_cast<int>(zyx[2]), static_cast<int>(zyx[1]), static_cast<int>(zyx[0])};
}

template <class Real>
void rotate(const Context& ctx, const std::array<Index, 3>& extent, const std::array<Index, 3>& shift,
            const std::complex<Real>* in, std::complex<Real>* out) {
  launch_loop(ctx, "rotate", rotate_kernel<Complex2<Real>>, extent[0] * extent[1] * extent[2], to_int3(extent),
              to_int3(shift), as_device(in), as_device(out));
}

}  // namespace

void register_rotate() {
  kernels::for_reals([](auto real) {
    using Real = decltype(real);
    kernels::rotate<Real>.set(DeviceKind::cuda, rotate<Real>);
  });
}

}  // namespace whorl::backend::cuda
