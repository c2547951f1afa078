#include <algorithm>

#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/points/point_words.cuh"
#include "filter/src/kernels/points/statistics.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Observed;

constexpr int byte_levels = 256;
constexpr int most_colors = 3;
constexpr int warps = loop_threads / 32;

// Bytes: each warp counts in its own part of shared memory.
template <class From>
__global__ void __launch_bounds__(loop_threads)
    count_bytes_kernel(const __grid_constant__ Observed what, Index pixels, const From* __restrict__ from,
                       unsigned long long* __restrict__ counts) {
  __shared__ unsigned own[warps][most_colors * byte_levels];
  for (unsigned i = threadIdx.x; i < warps * most_colors * byte_levels; i += loop_threads) (&own[0][0])[i] = 0;
  __syncthreads();
  unsigned* mine = own[threadIdx.x / 32];
  const Index stride = Index{gridDim.x} * loop_threads * pixels_at_once;
  for (Index i = (blockIdx.x * Index{loop_threads} + threadIdx.x) * pixels_at_once; i < pixels; i += stride) {
    Pixel p[pixels_at_once] = {};
    load_four_through(what.through, from, i, pixels, p);
#pragma unroll
    for (int k = 0; k < pixels_at_once; ++k) {
#pragma unroll
      for (int c = 0; c < most_colors; ++c) {
        if (c < what.colors && i + k < pixels) atomicAdd(mine + c * byte_levels + whole_of(p[k].v[c]), 1U);
      }
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < what.colors * byte_levels; i += loop_threads) {
    unsigned long long sum = 0;
    for (const auto& warp : own) sum += warp[i];
    if (sum != 0) atomicAdd(counts + i, sum);
  }
}

// 65536 levels do not fit into shared memory, which has 64 KiB everywhere and twice that on larger devices. So a block
// counts a part of the levels of one color, and adds its nonzero counts to the total.
constexpr int least_part = 16384;
constexpr int largest_part = 32768;
constexpr int count_threads = 1024;

template <class From>
__global__ void __launch_bounds__(count_threads)
    count_many_kernel(const __grid_constant__ Observed what, float low, float scale, int part_levels, Index pixels,
                      const From* __restrict__ from, unsigned long long* __restrict__ counts) {
  extern __shared__ unsigned own[];
  for (unsigned i = threadIdx.x; i < part_levels; i += count_threads) own[i] = 0;
  __syncthreads();
  const unsigned parts = kernels::point_bins / part_levels;
  const unsigned color = blockIdx.y / parts;
  const int first_level = static_cast<int>(blockIdx.y % parts) * part_levels;
  const Index stride = Index{gridDim.x} * count_threads * pixels_at_once;
  for (Index i = (blockIdx.x * Index{count_threads} + threadIdx.x) * pixels_at_once; i < pixels; i += stride) {
    Pixel p[pixels_at_once] = {};
    load_four_through(what.through, from, i, pixels, p);
#pragma unroll
    for (int k = 0; k < pixels_at_once; ++k) {
      const float v = color == 0 ? p[k].v[0] : color == 1 ? p[k].v[1] : p[k].v[2];
      const int level = what.through.to == PixelType::float32 ? kernels::point::bin_of(v, scale, low) : whole_of(v);
      const int place = level - first_level;
      if (place >= 0 && place < part_levels && i + k < pixels) atomicAdd(own + place, 1U);
    }
  }
  __syncthreads();
  unsigned long long* to = counts + color * Index{kernels::point_bins} + first_level;
  for (unsigned i = threadIdx.x; i < part_levels; i += count_threads) {
    if (own[i] != 0) atomicAdd(to + i, static_cast<unsigned long long>(own[i]));
  }
}

template <class From>
void count_many(const Context& ctx, const Observed& what, float low, float scale, Index pixels, const From* from,
                unsigned long long* counts) {
  // One block for each multiprocessor, because each further block would add one more table. At least four pixels per
  // thread.
  const int part_levels =
      properties_of(ctx).sharedMemPerBlockOptin >= largest_part * sizeof(unsigned) ? largest_part : least_part;
  const int tables = kernels::point_bins / part_levels * what.colors;
  const Index most = std::max(1, properties_of(ctx).multiProcessorCount / tables);
  constexpr Index pixels_of_block = Index{count_threads} * pixels_at_once;
  const dim3 grid = grid_of(std::clamp<Index>(divide_up(pixels, pixels_of_block), 1, most), tables);
  launch(ctx, "histogram", count_many_kernel<From>, {grid, count_threads, part_levels * sizeof(unsigned)}, what, low,
         scale, part_levels, pixels, from, counts);
}

template <class From>
__global__ void __launch_bounds__(loop_threads)
    extremes_kernel(const __grid_constant__ Observed what, Index pixels, const From* __restrict__ from,
                    unsigned* __restrict__ keys) {
  __shared__ unsigned of_block[2];
  if (threadIdx.x < 2) of_block[threadIdx.x] = threadIdx.x == 0 ? ~0U : 0;
  __syncthreads();
  unsigned least = ~0U;
  unsigned largest = 0;
  const Index stride = Index{gridDim.x} * loop_threads * pixels_at_once;
  for (Index i = (blockIdx.x * Index{loop_threads} + threadIdx.x) * pixels_at_once; i < pixels; i += stride) {
    Pixel p[pixels_at_once] = {};
    load_four_through(what.through, from, i, pixels, p);  // beyond the last pixel, repeats it
#pragma unroll
    for (int k = 0; k < pixels_at_once; ++k) {
#pragma unroll
      for (int c = 0; c < most_colors; ++c) {
        if (c >= what.colors || !isfinite(p[k].v[c])) continue;
        const unsigned bits = __float_as_uint(p[k].v[c]);
        const unsigned key = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
        least = min(least, key);
        largest = max(largest, key);
      }
    }
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    least = min(least, __shfl_xor_sync(0xffffffffU, least, lane));
    largest = max(largest, __shfl_xor_sync(0xffffffffU, largest, lane));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMin(of_block, least);
    atomicMax(of_block + 1, largest);
  }
  __syncthreads();
  if (threadIdx.x == 0 && of_block[0] <= of_block[1]) {
    atomicMin(keys, of_block[0]);
    atomicMax(keys + 1, of_block[1]);
  }
}

// partial[color][block]: each thread adds its pixels in order, then the threads of a block are added.
template <class From>
__global__ void __launch_bounds__(loop_threads)
    partial_sums_kernel(const __grid_constant__ Observed what, Index pixels, const From* __restrict__ from,
                        double* __restrict__ partial) {
  double sum[most_colors] = {};
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    const Pixel p = load_through(what.through, from, i);
#pragma unroll
    for (int c = 0; c < most_colors; ++c) sum[c] += c < what.colors ? p.v[c] : 0.0F;
  }
#pragma unroll
  for (int c = 0; c < most_colors; ++c) {
    if (c >= what.colors) continue;
    const double all = block_sum<loop_threads>(sum[c]);
    if (threadIdx.x == 0) partial[c * Index{gridDim.x} + blockIdx.x] = all;
  }
}

__global__ void add_partial_sums_kernel(int blocks, const double* __restrict__ partial, double* __restrict__ sums) {
  double sum = 0;
  for (int i = 0; i < blocks; ++i) sum += partial[threadIdx.x * blocks + i];
  sums[threadIdx.x] += sum;
}

void count_levels(const Context& ctx, const Observed& what, float low, float scale, Index pixels, const void* from,
                  std::uint64_t* counts) {
  auto* to = reinterpret_cast<unsigned long long*>(counts);
  with_pixel_type(what.through.from, [&](auto number) {
    const auto* source = static_cast<const decltype(number)*>(from);
    if (what.through.to == PixelType::uint8) {
      launch_loop(ctx, "histogram", count_bytes_kernel<decltype(number)>, divide_up(pixels, pixels_at_once), what,
                  pixels, source, to);
    } else {
      count_many(ctx, what, low, scale, pixels, source, to);
    }
  });
}

void extremes(const Context& ctx, const Observed& what, Index pixels, const void* from, std::uint32_t* keys) {
  with_pixel_type(what.through.from, [&](auto number) {
    using From = decltype(number);
    launch_loop(ctx, "extremes", extremes_kernel<From>, divide_up(pixels, pixels_at_once), what, pixels,
                static_cast<const From*>(from), keys);
  });
}

void sum_colors(const Context& ctx, const Observed& what, Index pixels, const void* from, double* sums) {
  const int blocks = partial_sums(pixels);
  Array<double> partial(ctx, {what.colors, blocks});
  with_pixel_type(what.through.from, [&](auto number) {
    using From = decltype(number);
    launch(ctx, "color sums", partial_sums_kernel<From>, {grid_of(blocks), loop_threads}, what, pixels,
           static_cast<const From*>(from), partial.data());
  });
  launch(ctx, "color sums", add_partial_sums_kernel, {1, grid_of(what.colors)}, blocks, partial.data(), sums);
}

}  // namespace

void register_statistics() {
  kernels::count_levels.set(DeviceKind::cuda, count_levels);
  kernels::extremes.set(DeviceKind::cuda, extremes);
  kernels::sum_colors.set(DeviceKind::cuda, sum_colors);
}

}  // namespace whorl::backend::cuda
