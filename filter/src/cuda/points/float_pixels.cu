#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/points/float_pixels.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T>
__global__ void to_float_kernel(Index count, float offset, const T* __restrict__ from, float* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    to[i] = static_cast<float>(from[i]) - offset;
  }
}

template <class T>
__global__ void from_float_kernel(Index count, float offset, const float* __restrict__ from, T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += stride) {
    to[i] = kernels::number_of<T>(from[i] + offset);
  }
}

template <class T>
void to_float(const Context& ctx, Index count, float offset, const T* from, float* to) {
  launch_loop(ctx, "to_float", to_float_kernel<T>, count, count, offset, from, to);
}

template <class T>
void from_float(const Context& ctx, Index count, float offset, const float* from, T* to) {
  launch_loop(ctx, "from_float", from_float_kernel<T>, count, count, offset, from, to);
}

}  // namespace

void register_float_pixels() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::from_float<T>.set(DeviceKind::cuda, from_float<T>);
    kernels::to_float<T>.set(DeviceKind::cuda, to_float<T>);
  });
}

}  // namespace whorl::backend::cuda
