#include "backend/cuda/filter/flip.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

struct FlipJob {
  Index pixels, depth, height, width;
  int channels;
  kernels::FlippedAxes axes;
};

template <class T>
__global__ void flip_kernel(FlipJob job, const T* __restrict__ from, T* __restrict__ to) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index pixel = blockIdx.x * Index{blockDim.x} + threadIdx.x; pixel < job.pixels; pixel += stride) {
    const Index x = pixel % job.width;
    const Index y = pixel / job.width % job.height;
    const Index z = pixel / (job.width * job.height) % job.depth;
    Index source = pixel;
    if (job.axes.x) source += job.width - 1 - 2 * x;
    if (job.axes.y) source += (job.height - 1 - 2 * y) * job.width;
    if (job.axes.z) source += (job.depth - 1 - 2 * z) * job.height * job.width;
    for (int c = 0; c < job.channels; ++c) to[pixel * job.channels + c] = from[source * job.channels + c];
  }
}

}  // namespace

template <class T>
void flip(const Context& ctx, const ImageFormat& format, kernels::FlippedAxes axes, const T* from, T* to) {
  const Index pixels = format.slices() * format.height * format.width;
  flip_kernel<T><<<loop_blocks(ctx, pixels), loop_threads, 0, stream_of(ctx)>>>(
      {pixels, format.depth, format.height, format.width, count_of(format.channels), axes}, from, to);
  check_launch("flip");
}

#define WHORL_INSTANTIATE(T) template void flip(const Context&, const ImageFormat&, kernels::FlippedAxes, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
