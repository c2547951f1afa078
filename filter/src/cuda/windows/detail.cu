#include "filter/src/kernels/windows/detail.hpp"

#include <cstdint>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "whorl/core/context.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int vector_bytes = 16;

template <class T>
struct alignas(vector_bytes) Numbers {
  static constexpr int count = vector_bytes / sizeof(T);
  T v[count];
};

template <class T>
__global__ void raise_kernel(Index count, float amount, const T* __restrict__ image, const T* __restrict__ blurred,
                             T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const Index first = blockIdx.x * Index{blockDim.x} + threadIdx.x;
  const Index vectors = count / Numbers<T>::count;
  for (Index i = first; i < vectors; i += stride) {
    Numbers<T> lights = reinterpret_cast<const Numbers<T>*>(image)[i];
    const Numbers<T> blurs = reinterpret_cast<const Numbers<T>*>(blurred)[i];
#pragma unroll
    for (int k = 0; k < Numbers<T>::count; ++k) lights.v[k] = kernels::raised(lights.v[k], blurs.v[k], amount);
    reinterpret_cast<Numbers<T>*>(to)[i] = lights;
  }
  const Index rest = vectors * Numbers<T>::count + first;
  if (rest < count) to[rest] = kernels::raised(image[rest], blurred[rest], amount);
}

template <class T>
void raise_detail(const Context& ctx, Index count, float amount, const T* image, const T* blurred, T* to) {
  launch_loop(ctx, "raise_detail", raise_kernel<T>, count / Numbers<T>::count + 1, count, amount, image, blurred, to);
}

}  // namespace

void register_detail() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::raise_detail<T>.set(DeviceKind::cuda, raise_detail<T>);
  });
}

}  // namespace whorl::backend::cuda
