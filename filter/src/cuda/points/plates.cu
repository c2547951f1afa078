#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/points/plates.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T>
__global__ void plates_kernel(kernels::PlatesJob<T> job, T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < job.pixels; i += stride) {
    for (int c = 0; c < job.count; ++c) to[i * job.count + c] = job.plates[c][i * job.channels];
  }
}

template <class T>
void plates(const Context& ctx, const kernels::PlatesJob<T>& job, T* to) {
  launch_loop(ctx, "plates", plates_kernel<T>, job.pixels, job, to);
}

}  // namespace

void register_plates() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::plates<T>.set(DeviceKind::cuda, plates<T>);
  });
}

}  // namespace whorl::backend::cuda
