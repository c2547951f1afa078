#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/rows.hpp"
#include "filter/src/kernels/geometry/frame.hpp"

namespace whorl::backend::cuda {

namespace {

template <class T>
__global__ void frame_kernel(kernels::FrameJob<T> job, const T* __restrict__ from, T* __restrict__ to) {
  const Index length = job.result_width * job.channels;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < length; i += Index{gridDim.x} * blockDim.x) {
    const Index column = border_index(job.border, i / job.channels + job.left, job.width);
    for (Index at = blockIdx.y; at < job.slices * job.result_height; at += gridDim.y) {
      const Index row = border_index(job.border, at % job.result_height + job.top, job.height);
      const Index source = at / job.result_height * job.rows_there + row - job.first_row;
      to[at * length + i] =
          row < 0 || column < 0 ? job.value : from[(source * job.width + column) * job.channels + i % job.channels];
    }
  }
}

template <class T>
void frame(const Context& ctx, const kernels::FrameJob<T>& job, const T* from, T* to) {
  const auto grid = grid_of_rows(job.result_width * job.channels, job.slices * job.result_height);
  launch(ctx, "frame", frame_kernel<T>, {grid, loop_threads}, job, from, to);
}

}  // namespace

void register_frame() {
  kernels::for_pixel_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::frame<T>.set(DeviceKind::cuda, frame<T>);
  });
}

}  // namespace whorl::backend::cuda
