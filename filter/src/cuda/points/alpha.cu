#include <cstdint>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/points/alpha.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T, class Out>
__global__ void copy_alpha_kernel(Index pixels, int channels, const T* __restrict__ from, Out* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index pixel = blockIdx.x * Index{blockDim.x} + threadIdx.x; pixel < pixels; pixel += stride) {
    const Index last = pixel * channels + channels - 1;
    to[last] = static_cast<Out>(from[last]);
  }
}

template <class T, class Out>
void copy_alpha(const Context& ctx, Index pixels, int channels, const T* from, Out* to) {
  launch_loop(ctx, "copy_alpha", copy_alpha_kernel<T, Out>, pixels, pixels, channels, from, to);
}

}  // namespace

void register_alpha() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::copy_alpha<T, T>.set(DeviceKind::cuda, copy_alpha<T, T>);
    kernels::copy_alpha<T, float>.set(DeviceKind::cuda, copy_alpha<T, float>);
  });
}

}  // namespace whorl::backend::cuda
