// Gray world on a GPU. All versions first sum the channels in the same way; they differ in the work per pixel.
#include "studies/image_filters/gpu_launch.cuh"
#include "studies/image_filters/gray_world.hpp"
#include "studies/image_filters/level_table.cuh"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

namespace {

using Sum = unsigned long long;

// A warp adds up its threads' sums before it touches memory.
__global__ void sum_channels(const Byte* from, Index pixels, Sum* sums) {
  Sum own[3] = {};
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    for (int c = 0; c < 3; ++c) own[c] += from[3 * i + c];
  }
  for (int c = 0; c < 3; ++c) {
    for (int offset = 16; offset > 0; offset /= 2) own[c] += __shfl_down_sync(0xffffffffU, own[c], offset);
    if (threadIdx.x % 32 == 0) atomicAdd(sums + c, own[c]);
  }
}

Array<Sum> sums_of(const Context& ctx, const Job& job) {
  Array<Sum> sums = zeros<Sum>(ctx, {3});
  constexpr unsigned blocks = 1024;
  constexpr unsigned threads = 256;
  sum_channels<<<blocks, threads, 0, stream_of(ctx)>>>(job.from, pixels_of(job), sums.data());
  check_launch("sum_channels");
  return sums;
}

// Means of red, green, blue and of all three.
template <class Real>
__global__ void divide_sums(const Sum* sums, Index pixels, Real* means) {
  double all = 0;
  for (int c = 0; c < 3; ++c) {
    const double mean = static_cast<double>(sums[c]) / static_cast<double>(pixels);
    means[c] = static_cast<Real>(mean);
    all += mean / 3;
  }
  means[3] = static_cast<Real>(all);
}

// step: double, computed for the test and again; float
// First version: two loads of each color, one for the test against 255 and one for what is stored; with the three tests
// of the means and each channel's own store, nothing can be kept in between.
template <class Real>
__global__ void computed_twice(Job job, const Real* means) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  for (int c = 0; c < 3; ++c) {
    const volatile Byte* const from = job.from + 3 * (Index{y} * job.width + x) + c;
    Byte* const to = job.to + 3 * (Index{y} * job.width + x) + c;
    if (means[c] > static_cast<Real>(dark_mean)) {
      *to = 255 < *from * means[3] / means[c] ? Byte{255} : static_cast<Byte>(*from * means[3] / means[c]);
    } else {
      *to = 255 < *from + means[3] ? Byte{255} : static_cast<Byte>(*from + means[3]);
    }
  }
}
// end of step

// step: read and computed once
// The pixel is read once, and its new value computed once, for the comparison and the store.
__global__ void read_once(Job job, const float* means) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  const Byte* const from = job.from + 3 * (Index{y} * job.width + x);
  Byte* const to = job.to + 3 * (Index{y} * job.width + x);
  const float pixel[3] = {static_cast<float>(from[0]), static_cast<float>(from[1]), static_cast<float>(from[2])};
  float value[3];
  for (int c = 0; c < 3; ++c) {
    value[c] = means[c] > static_cast<float>(dark_mean) ? pixel[c] * means[3] / means[c] : pixel[c] + means[3];
  }
  for (int c = 0; c < 3; ++c) to[c] = static_cast<Byte>(fminf(value[c], 255.0F));
}
// end of step

// The exact new value of each of 256 levels of each channel.
__global__ void fill_table(const Sum* sums, Index pixels, Byte* table) {
  for (int c = 0; c < 3; ++c) {
    table[c * 256 + threadIdx.x] =
        balanced_level(threadIdx.x, sums[c], sums[0] + sums[1] + sums[2], static_cast<Sum>(pixels));
  }
}

template <class Real>
void run_twice(const Context& ctx, const Job& job) {
  const Array<Sum> sums = sums_of(ctx, job);
  Array<Real> means(ctx, {4});
  divide_sums<<<1, 1, 0, stream_of(ctx)>>>(sums.data(), pixels_of(job), means.data());
  computed_twice<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, means.data());
  check_launch("computed_twice");
}

void run_once(const Context& ctx, const Job& job) {
  const Array<Sum> sums = sums_of(ctx, job);
  Array<float> means(ctx, {4});
  divide_sums<<<1, 1, 0, stream_of(ctx)>>>(sums.data(), pixels_of(job), means.data());
  read_once<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, means.data());
  check_launch("read_once");
}

void run_table(const Context& ctx, const Job& job) {
  const Array<Sum> sums = sums_of(ctx, job);
  Array<Byte> table(ctx, {3, 256});
  fill_table<<<1, 256, 0, stream_of(ctx)>>>(sums.data(), pixels_of(job), table.data());
  check_launch("fill_table");
  apply_table(ctx, job, table);
}

}  // namespace

std::vector<Step> gray_world_on_gpu() {
  return {{"double, computed for the test and again", run_twice<double>},
          {"float", run_twice<float>, said("gains everywhere")},
          {"read and computed once", run_once, said("minimal")},
          {"a table of levels, four pixels a thread", run_table, said("not tried")}};
}

}  // namespace whorl::studies::image_filters
