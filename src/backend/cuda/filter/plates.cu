#include "backend/cuda/filter/plates.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T>
__global__ void plates_kernel(kernels::PlatesJob<T> job, T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < job.pixels; i += stride) {
    for (int c = 0; c < job.count; ++c) to[i * job.count + c] = job.plates[c][i * job.channels];
  }
}

}  // namespace

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to) {
  plates_kernel<T><<<loop_blocks(ctx, job.pixels), loop_threads, 0, stream_of(ctx)>>>(job, to);
  check_launch("plates");
}

#define WHORL_INSTANTIATE(T) template void plates(const Context&, const kernels::PlatesJob<T>&, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
