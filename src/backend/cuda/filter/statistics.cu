#include "backend/cuda/device/block_sum.cuh"
#include "backend/cuda/filter/device/points.cuh"
#include "backend/cuda/filter/statistics.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Observed;

constexpr int byte_levels = 256;
constexpr int most_colors = 3;
constexpr int warps = loop_threads / 32;

// Bytes: each warp counts in shared memory of its own.
template <class From>
__global__ void __launch_bounds__(loop_threads)
    count_bytes_kernel(const __grid_constant__ Observed what, Index pixels, const From* __restrict__ from,
                       unsigned long long* __restrict__ counts) {
  __shared__ unsigned own[warps][most_colors * byte_levels];
  for (unsigned i = threadIdx.x; i < warps * most_colors * byte_levels; i += loop_threads) (&own[0][0])[i] = 0;
  __syncthreads();
  unsigned* mine = own[threadIdx.x / 32];
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    const Pixel p = load_through(what.through, from, i);
#pragma unroll
    for (int c = 0; c < most_colors; ++c) {
      if (c < what.colors) atomicAdd(mine + c * byte_levels + static_cast<int>(p.v[c]), 1U);
    }
  }
  __syncthreads();
  for (unsigned i = threadIdx.x; i < what.colors * byte_levels; i += loop_threads) {
    unsigned long long sum = 0;
    for (const auto& warp : own) sum += warp[i];
    if (sum != 0) atomicAdd(counts + i, sum);
  }
}

// 65536 levels do not fit into shared memory: counted in the second cache.
template <class From>
__global__ void __launch_bounds__(loop_threads)
    count_many_kernel(const __grid_constant__ Observed what, float low, float scale, Index pixels,
                      const From* __restrict__ from, unsigned long long* __restrict__ counts) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    const Pixel p = load_through(what.through, from, i);
#pragma unroll
    for (int c = 0; c < most_colors; ++c) {
      if (c >= what.colors) continue;
      const int level =
          what.through.to == PixelType::float32 ? kernels::point::bin_of(p.v[c], scale, low) : static_cast<int>(p.v[c]);
      atomicAdd(counts + c * Index{kernels::point_bins} + level, 1ULL);
    }
  }
}

template <class From>
__global__ void __launch_bounds__(loop_threads)
    extremes_kernel(const __grid_constant__ Observed what, Index pixels, const From* __restrict__ from,
                    unsigned* __restrict__ keys) {
  unsigned least = ~0U;
  unsigned largest = 0;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    const Pixel p = load_through(what.through, from, i);
#pragma unroll
    for (int c = 0; c < most_colors; ++c) {
      if (c >= what.colors || !isfinite(p.v[c])) continue;
      const unsigned bits = __float_as_uint(p.v[c]);
      const unsigned key = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
      least = min(least, key);
      largest = max(largest, key);
    }
  }
  for (int lane = 16; lane > 0; lane /= 2) {
    least = min(least, __shfl_xor_sync(0xffffffffU, least, lane));
    largest = max(largest, __shfl_xor_sync(0xffffffffU, largest, lane));
  }
  if (threadIdx.x % 32 == 0 && least <= largest) {
    atomicMin(keys, least);
    atomicMax(keys + 1, largest);
  }
}

// partial[color][block]: each thread a chain of pixels, then the threads of a block.
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

}  // namespace

void count_levels(const Context& ctx, const Observed& what, float low, float scale, Index pixels, const void* from,
                  std::uint64_t* counts) {
  auto* to = reinterpret_cast<unsigned long long*>(counts);
  const unsigned blocks = loop_blocks(ctx, pixels);
  with_pixel_type(what.through.from, [&](auto number) {
    const auto* source = static_cast<const decltype(number)*>(from);
    if (what.through.to == PixelType::uint8) {
      count_bytes_kernel<<<blocks, loop_threads, 0, stream_of(ctx)>>>(what, pixels, source, to);
    } else {
      count_many_kernel<<<blocks, loop_threads, 0, stream_of(ctx)>>>(what, low, scale, pixels, source, to);
    }
  });
  check_launch("histogram");
}

void extremes(const Context& ctx, const Observed& what, Index pixels, const void* from, std::uint32_t* keys) {
  with_pixel_type(what.through.from, [&](auto number) {
    extremes_kernel<<<loop_blocks(ctx, pixels), loop_threads, 0, stream_of(ctx)>>>(
        what, pixels, static_cast<const decltype(number)*>(from), keys);
  });
  check_launch("extremes");
}

void sum_colors(const Context& ctx, const Observed& what, Index pixels, const void* from, double* sums) {
  const int blocks = partial_sums(pixels);
  Array<double> partial(ctx, {what.colors, blocks});
  with_pixel_type(what.through.from, [&](auto number) {
    partial_sums_kernel<<<static_cast<unsigned>(blocks), loop_threads, 0, stream_of(ctx)>>>(
        what, pixels, static_cast<const decltype(number)*>(from), partial.data());
  });
  check_launch("color sums");
  add_partial_sums_kernel<<<1, static_cast<unsigned>(what.colors), 0, stream_of(ctx)>>>(blocks, partial.data(), sums);
  check_launch("color sums");
}

}  // namespace whorl::backend::cuda
