#include "backend/cuda/filter/warp.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// Pixels of a block that lie together in the image too, however it is turned.
constexpr int tile = 16;

template <class T>
__global__ void warp_kernel(kernels::WarpJob<T> job, Index across, Index down, const T* __restrict__ from,
                            T* __restrict__ to) {
  for (Index part = blockIdx.x; part < job.slices * across * down; part += gridDim.x) {
    const Index slice = part / (across * down);
    const Index y = part / across % down * tile + threadIdx.y;
    const Index x = part % across * tile + threadIdx.x;
    if (y >= job.result_height || x >= job.result_width) continue;
    kernels::warp_pixel(job, from + slice * job.rows_there * job.width * job.channels, y, x,
                        to + ((slice * job.result_height + y) * job.result_width + x) * job.channels);
  }
}

}  // namespace

template <class T>
void warp(const Context& ctx, const kernels::WarpJob<T>& job, const T* from, T* to) {
  const Index across = (job.result_width + tile - 1) / tile;
  const Index down = (job.result_height + tile - 1) / tile;
  constexpr Index most_blocks = 1 << 20;
  const auto blocks = static_cast<unsigned>(std::min(job.slices * across * down, most_blocks));
  warp_kernel<T><<<blocks, dim3(tile, tile), 0, stream_of(ctx)>>>(job, across, down, from, to);
  check_launch("warp");
}

#define WHORL_INSTANTIATE(T) template void warp(const Context&, const kernels::WarpJob<T>&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
