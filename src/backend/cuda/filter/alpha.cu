#include "backend/cuda/filter/alpha.hpp"

#include <cstdint>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

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

}  // namespace

template <class T, class Out>
void copy_alpha(const Context& ctx, Index pixels, int channels, const T* from, Out* to) {
  copy_alpha_kernel<<<loop_blocks(ctx, pixels), loop_threads, 0, stream_of(ctx)>>>(pixels, channels, from, to);
  check_launch("copy_alpha");
}

#define WHORL_INSTANTIATE(T, Out) template void copy_alpha(const Context&, Index, int, const T*, Out*)
WHORL_INSTANTIATE(std::uint8_t, std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t, std::uint16_t);
WHORL_INSTANTIATE(std::uint8_t, float);
WHORL_INSTANTIATE(std::uint16_t, float);
WHORL_INSTANTIATE(float, float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
