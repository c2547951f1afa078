// Bilinear resizing on a GPU: a thread makes one new pixel.
#include "studies/image_filters/gpu_launch.cuh"
#include "studies/image_filters/resize.hpp"

namespace whorl::studies::image_filters {

namespace {

// step: double, twelve loads; float
// First version: four weights and four loads for each color.
template <class Real>
__global__ void each_color_alone(Job job) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.to_width || y >= job.to_height) return;
  const Index row = Index{3} * job.width;
  for (int c = 0; c < 3; ++c) {
    const Place<Real> v = place_of<Real>(y, job.height, job.to_height);
    const Place<Real> u = place_of<Real>(x, job.width, job.to_width);
    const Byte* const from = job.from + v.index * row + Index{3} * u.index + c;
    job.to[3 * (Index{y} * job.to_width + x) + c] =
        rounded_level((Real(1) - u.part - v.part + u.part * v.part) * from[0] + (u.part - u.part * v.part) * from[3] +
                      (v.part - u.part * v.part) * from[row] + u.part * v.part * from[row + 3]);
  }
}
// end of step

// step: weights once, four loads; a tile in shared memory
// Stores a pixel of the result from the four around it, `row` bytes from one row to the next.
__device__ void store_mixed(const Job& job, int x, int y, const Place<float>& u, const Place<float>& v,
                            const Byte* from, Index row) {
  const float both = u.part * v.part;
  const float weight[4] = {1 - u.part - v.part + both, u.part - both, v.part - both, both};
  Byte level[3];
  for (int c = 0; c < 3; ++c) {
    level[c] = rounded_level(weight[0] * from[c] + weight[1] * from[c + 3] + weight[2] * from[row + c] +
                             weight[3] * from[row + c + 3]);
  }
  Byte* const to = job.to + 3 * (Index{y} * job.to_width + x);
  for (int c = 0; c < 3; ++c) to[c] = level[c];
}
// end of step

// step: weights once, four loads
// Weights once for the three colors, four pixels in registers, the result stored when it is whole.
__global__ void four_loads(Job job) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.to_width || y >= job.to_height) return;
  const Place<float> v = place_of<float>(y, job.height, job.to_height);
  const Place<float> u = place_of<float>(x, job.width, job.to_width);
  const Index row = Index{3} * job.width;
  store_mixed(job, x, y, u, v, job.from + v.index * row + Index{3} * u.index, row);
}
// end of step

// step: a tile in shared memory
// What the report tried: a block fetches the old pixels that its new ones lie between into shared memory. Each is read
// there by a few threads only, and copying them costs as much as the loads that it saves. For results that are no
// smaller than the picture: a block of 32 x 8 then needs at most 34 x 10 old pixels.
constexpr int tile_width = static_cast<int>(pixel_block.x) + 2;
constexpr int tile_height = static_cast<int>(pixel_block.y) + 2;

__global__ void with_shared_tile(Job job) {
  __shared__ Byte tile[tile_height][3 * tile_width];
  const int x = pixel_x();
  const int y = pixel_y();
  const int left = place_of<float>(static_cast<int>(blockIdx.x * blockDim.x), job.width, job.to_width).index;
  const int top = place_of<float>(static_cast<int>(blockIdx.y * blockDim.y), job.height, job.to_height).index;
  const Index row = Index{3} * job.width;
  for (int j = static_cast<int>(threadIdx.y); j < tile_height && top + j < job.height; j += pixel_block.y) {
    for (int i = static_cast<int>(threadIdx.x); i < 3 * tile_width && 3 * left + i < row; i += pixel_block.x) {
      tile[j][i] = job.from[(top + j) * row + 3 * left + i];
    }
  }
  __syncthreads();
  if (x >= job.to_width || y >= job.to_height) return;
  const Place<float> v = place_of<float>(y, job.height, job.to_height);
  const Place<float> u = place_of<float>(x, job.width, job.to_width);
  store_mixed(job, x, y, u, v, &tile[v.index - top][3 * (u.index - left)], 3 * tile_width);
}
// end of step

template <class Kernel>
Step step(const std::string& name, Kernel kernel, Cited published) {
  return {name,
          [kernel](const Context& ctx, const Job& job) {
            kernel<<<pixel_grid(job.to_width, job.to_height), pixel_block, 0, stream_of(ctx)>>>(job);
            check_launch("resize");
          },
          published};
}

}  // namespace

std::vector<Step> resize_on_gpu() {
  return {step("double, twelve loads", each_color_alone<double>, {}),
          step("float", each_color_alone<float>, said("gains everywhere")),
          step("weights once, four loads", four_loads, said("none")),
          step("a tile in shared memory", with_shared_tile, said("2.5 x slower"))};
}

}  // namespace whorl::studies::image_filters
