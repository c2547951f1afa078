#include "backend/cuda/launch.hpp"
#include "studies/gridding_2d/image_passes.hpp"

namespace whorl::studies::gridding_2d {

namespace {

using backend::cuda::check_launch;
using backend::cuda::loop_blocks;
using backend::cuda::loop_threads;
using backend::cuda::stream_of;

__global__ void join(const float* real, const float* imag, Index count, float2* grid) {
  const Index step = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < count; i += step) grid[i] = {real[i], imag[i]};
}

struct CutJob {
  const float2* grid;
  Extents grid_extents;
  const float* rows;
  const float* columns;
  float2* image;
  Extents extents;
};

__global__ void cut(CutJob job) {
  const auto count = static_cast<int>(job.extents.points());
  const auto step = static_cast<int>(gridDim.x * blockDim.x);
  for (auto i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < count; i += step) {
    const int y = i / job.extents.x;
    const int x = i % job.extents.x;
    const float2 value = job.grid[wrapped(y - job.extents.y / 2, job.grid_extents.y) * job.grid_extents.x +
                                  wrapped(x - job.extents.x / 2, job.grid_extents.x)];
    const float factor = job.rows[y] * job.columns[x];
    job.image[i] = {factor * value.x, factor * value.y};
  }
}

Extents extents_of(const Shape& shape) { return {static_cast<int>(shape[0]), static_cast<int>(shape[1])}; }

}  // namespace

void join_parts_on_gpu(const Context& ctx, ArrayRef<const float> parts, ArrayRef<std::complex<float>> grid) {
  join<<<loop_blocks(ctx, grid.size()), loop_threads, 0, stream_of(ctx)>>>(
      parts.data(), parts.data() + grid.size(), grid.size(), reinterpret_cast<float2*>(grid.data()));
  check_launch("join");
}

void cut_image_on_gpu(const Context& ctx, const Cut& what) {
  cut<<<loop_blocks(ctx, what.image.size()), loop_threads, 0, stream_of(ctx)>>>(
      {reinterpret_cast<const float2*>(what.grid.data()), extents_of(what.grid.shape()), what.rows.data(),
       what.columns.data(), reinterpret_cast<float2*>(what.image.data()), extents_of(what.image.shape())});
  check_launch("cut");
}

}  // namespace whorl::studies::gridding_2d
