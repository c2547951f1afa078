#include <limits>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/points/clahe.hpp"
#include "whorl/core/integer.hpp"
#include "whorl/filter/border.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::ClaheTiles;

constexpr int tile_threads = 512;

template <class T>
constexpr int levels_of = int{std::numeric_limits<T>::max()} + 1;

// The sum over the threads up to this one; in the last thread the sum over all.
__device__ unsigned sum_up_to(unsigned value) {
  __shared__ unsigned sums[tile_threads];
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < tile_threads; distance *= 2) {
    const unsigned before = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  const unsigned mine = sums[threadIdx.x];
  __syncthreads();
  return mine;
}

// A block makes the table of a tile. Counts of 65536 levels do not fit into shared memory: `far` has them.
template <class T>
__global__ void __launch_bounds__(tile_threads)
    clahe_tables_kernel(ImageFormat format, int channels, ClaheTiles tiles, const T* __restrict__ from,
                        unsigned* __restrict__ far, T* __restrict__ tables) {
  constexpr int levels = levels_of<T>;
  __shared__ unsigned near[sizeof(T) == 1 ? levels : 1];
  __shared__ unsigned all;
  unsigned* counts = sizeof(T) == 1 ? near : far + blockIdx.x * Index{levels};
  for (int level = threadIdx.x; level < levels; level += tile_threads) counts[level] = 0;
  __syncthreads();

  const Index slice = blockIdx.x / (tiles.count * tiles.count);
  const Index top = blockIdx.x % (tiles.count * tiles.count) / tiles.count * tiles.height;
  const Index left = blockIdx.x % tiles.count * tiles.width;
  const Index row = format.width * channels;
  for (Index i = threadIdx.x; i < tiles.width * tiles.height; i += tile_threads) {
    const Index y = border_index(Border::reflect, top + i / tiles.width, format.height);
    const Index x = border_index(Border::reflect, left + i % tiles.width, format.width);
    atomicAdd(counts + from[(slice * format.height + y) * row + x * channels], 1U);
  }
  __syncthreads();

  constexpr int per_thread = divide_up(levels, tile_threads);
  const int first = threadIdx.x * per_thread;
  const int last = min(first + per_thread, levels);
  unsigned above = 0;
  for (int level = first; level < last; ++level) {
    const Index count = counts[level];
    above += tiles.limit > 0 && count > tiles.limit ? static_cast<unsigned>(count - tiles.limit) : 0;
  }
  above = sum_up_to(above);
  if (threadIdx.x == tile_threads - 1) all = above;
  __syncthreads();
  const Index excess = all;
  unsigned own = 0;
  for (int level = first; level < last; ++level) {
    own += static_cast<unsigned>(kernels::clipped_count(counts[level], level, levels, tiles.limit, excess));
  }
  unsigned sum = sum_up_to(own) - own;
  const float scale = __fdiv_rn(static_cast<float>(levels - 1), static_cast<float>(tiles.width * tiles.height));
  for (int level = first; level < last; ++level) {
    sum += static_cast<unsigned>(kernels::clipped_count(counts[level], level, levels, tiles.limit, excess));
    tables[blockIdx.x * Index{levels} + level] =
        static_cast<T>(min(__float2int_rn(__fmul_rn(static_cast<float>(sum), scale)), levels - 1));
  }
}

struct Neighbors {
  Index first, second;
  float weight;
};

__device__ Neighbors neighbors_of(Index i, float inverse, Index tiles) {
  const float place = __fadd_rn(__fmul_rn(static_cast<float>(i), inverse), -0.5F);
  const float below = floorf(place);
  const auto first = static_cast<Index>(below);
  return {max(first, Index{0}), min(first + 1, tiles - 1), __fadd_rn(place, -below)};
}

// Products are rounded before they are added, as on a CPU.
__device__ float mixed(float a, float b, float weight) {
  return __fadd_rn(__fmul_rn(a, __fadd_rn(1.0F, -weight)), __fmul_rn(b, weight));
}

template <class T>
__global__ void __launch_bounds__(loop_threads)
    clahe_map_kernel(ImageFormat format, int channels, ClaheTiles tiles, float inverse_width, float inverse_height,
                     const T* __restrict__ tables, const T* __restrict__ from, T* __restrict__ to) {
  constexpr Index levels = levels_of<T>;
  const Index pixels = format.volumes * format.depth * format.height * format.width;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index i = blockIdx.x * Index{blockDim.x} + threadIdx.x; i < pixels; i += stride) {
    const Neighbors columns = neighbors_of(i % format.width, inverse_width, tiles.count);
    const Neighbors rows = neighbors_of(i / format.width % format.height, inverse_height, tiles.count);
    const T* slice = tables + i / (format.width * format.height) * tiles.count * tiles.count * levels;
    const Index v = from[i * channels];
    const auto entry = [&](Index row, Index column) {
      return static_cast<float>(__ldg(slice + (row * tiles.count + column) * levels + v));
    };
    const float above = mixed(entry(rows.first, columns.first), entry(rows.first, columns.second), columns.weight);
    const float below = mixed(entry(rows.second, columns.first), entry(rows.second, columns.second), columns.weight);
    to[i * channels] = static_cast<T>(__float2int_rn(mixed(above, below, rows.weight)));
    for (int c = 1; c < channels; ++c) to[i * channels + c] = from[i * channels + c];
  }
}

template <class T>
void clahe_tables(const Context& ctx, const ImageFormat& format, const ClaheTiles& tiles, const T* from, T* tables) {
  const Index blocks = format.slices() * tiles.count * tiles.count;
  Array<unsigned> far(ctx, {sizeof(T) == 1 ? 1 : blocks * levels_of<T>});
  launch(ctx, "clahe", clahe_tables_kernel<T>, {grid_of(blocks), tile_threads}, format, count_of(format.channels),
         tiles, from, far.data(), tables);
}

template <class T>
void clahe_map(const Context& ctx, const ImageFormat& format, const ClaheTiles& tiles, const T* tables, const T* from,
               T* to) {
  const Index pixels = format.slices() * format.height * format.width;
  launch_loop(ctx, "clahe", clahe_map_kernel<T>, pixels, format, count_of(format.channels), tiles,
              1.0F / static_cast<float>(tiles.width), 1.0F / static_cast<float>(tiles.height), tables, from, to);
}

}  // namespace

void register_clahe() {
  kernels::for_integer_types([](auto pixel) {
    using T = decltype(pixel);
    kernels::clahe_map<T>.set(DeviceKind::cuda, clahe_map<T>);
    kernels::clahe_tables<T>.set(DeviceKind::cuda, clahe_tables<T>);
  });
}

}  // namespace whorl::backend::cuda
