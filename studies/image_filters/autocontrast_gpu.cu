// Autocontrast on a GPU. All versions first take the same histogram; they differ in the work per pixel.
#include "studies/image_filters/autocontrast.hpp"
#include "studies/image_filters/gpu_launch.cuh"
#include "studies/image_filters/level_table.cuh"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

namespace {

// Counts of a block in shared memory first.
__global__ void count_luma(const Byte* from, Index pixels, unsigned* histogram) {
  __shared__ unsigned own[levels];
  own[threadIdx.x] = 0;
  __syncthreads();
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    atomicAdd(own + luma(from[3 * i], from[3 * i + 1], from[3 * i + 2]), 1U);
  }
  __syncthreads();
  atomicAdd(histogram + threadIdx.x, own[threadIdx.x]);
}

__global__ void find_range(const unsigned* histogram, unsigned skipped, LumaRange* range) {
  *range = range_of(histogram, skipped);
}

Array<LumaRange> range_on_gpu(const Context& ctx, const Job& job) {
  Array<unsigned> histogram = zeros<unsigned>(ctx, {levels});
  Array<LumaRange> range(ctx, {1});
  constexpr unsigned blocks = 512;
  count_luma<<<blocks, levels, 0, stream_of(ctx)>>>(job.from, pixels_of(job), histogram.data());
  check_launch("count_luma");
  find_range<<<1, 1, 0, stream_of(ctx)>>>(histogram.data(), skipped_pixels(job), range.data());
  check_launch("find_range");
  return range;
}

// step: double, two indices; float
// First version: the index of a pixel is computed for the load and again for the store of each color.
template <class Real>
__global__ void with_two_indices(Job job, const LumaRange* range) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  for (int c = 0; c < 3; ++c) {
    const auto low = static_cast<Real>(range->low);
    const auto extent = static_cast<Real>(range->high - range->low);
    const volatile Byte* const from = job.from;
    const Real value = (static_cast<Real>(from[3 * (Index{y} * job.width + x) + c]) - low) * Real(255) / extent;
    job.to[3 * (Index{y} * job.width + x) + c] = cut_level(value);
  }
}
// end of step

// step: one index
// One index, and the pixel in registers.
__global__ void with_one_index(Job job, const LumaRange* range) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  const Index at = 3 * (Index{y} * job.width + x);
  const auto low = static_cast<float>(range->low);
  const auto extent = static_cast<float>(range->high - range->low);
  const float pixel[3] = {static_cast<float>(job.from[at]), static_cast<float>(job.from[at + 1]),
                          static_cast<float>(job.from[at + 2])};
  for (int c = 0; c < 3; ++c) job.to[at + c] = cut_level((pixel[c] - low) * 255.0F / extent);
}
// end of step

// The new value of each level, the same for the three channels.
__global__ void fill_table(const LumaRange* range, Byte* table) {
  const Byte level = stretched_level(static_cast<int>(threadIdx.x), *range);
  for (int c = 0; c < 3; ++c) table[c * levels + threadIdx.x] = level;
}

template <class Real>
void run_two(const Context& ctx, const Job& job) {
  const Array<LumaRange> range = range_on_gpu(ctx, job);
  with_two_indices<Real><<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, range.data());
  check_launch("with_two_indices");
}

void run_one(const Context& ctx, const Job& job) {
  const Array<LumaRange> range = range_on_gpu(ctx, job);
  with_one_index<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, range.data());
  check_launch("with_one_index");
}

void run_table(const Context& ctx, const Job& job) {
  const Array<LumaRange> range = range_on_gpu(ctx, job);
  Array<Byte> table(ctx, {3, levels});
  fill_table<<<1, levels, 0, stream_of(ctx)>>>(range.data(), table.data());
  check_launch("fill_table");
  apply_table(ctx, job, table);
}

}  // namespace

std::vector<Step> autocontrast_on_gpu() {
  return {{"double, two indices", run_two<double>},
          {"float", run_two<float>, said("gains everywhere")},
          {"one index", run_one, said("minimal")},
          {"a table of levels, four pixels a thread", run_table, said("not tried")}};
}

}  // namespace whorl::studies::image_filters
