#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/edge_slice.cuh"
#include "filter/src/cuda/ordered/median_large.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Ordered;

constexpr int threads = 64;
constexpr int run_rows = 64;
constexpr int bins = 256;
constexpr int coarse_bins = 16;

template <class T>
__device__ std::uint32_t unsigned_key(Ordered<T> key) {
  if constexpr (std::is_same_v<T, float>) return static_cast<std::uint32_t>(key) ^ 0x80000000U;
  return key;
}

// The counts of a thread. They are interleaved with those of other threads, so that no two threads of a warp use one
// bank.
struct Histogram {
  std::uint16_t* fine;
  std::uint16_t* coarse;

  __device__ void clear() {
    for (int i = 0; i < bins; ++i) fine[i * threads] = 0;
    for (int i = 0; i < coarse_bins; ++i) coarse[i * threads] = 0;
  }
  __device__ void add(std::uint32_t value, int change) {
    fine[value * threads] = static_cast<std::uint16_t>(fine[value * threads] + change);
    std::uint16_t& sum = coarse[value / coarse_bins * threads];
    sum = static_cast<std::uint16_t>(sum + change);
  }
  // The value of number `rank` in order; rank becomes its rank among its equals.
  __device__ std::uint32_t find(int& rank) const {
    int bin = 0;
    for (; rank >= coarse[bin * threads]; ++bin) rank -= coarse[bin * threads];
    int value = bin * coarse_bins;
    for (; rank >= fine[value * threads]; ++value) rank -= fine[value * threads];
    return static_cast<std::uint32_t>(value);
  }
};

constexpr std::size_t histogram_bytes = sizeof(std::uint16_t) * threads * (bins + coarse_bins);

// A thread goes down a column. The histogram of the highest byte moves with the window; the histograms of the other
// bytes are made from scratch, from the numbers that agree with the median so far.
template <class T>
__global__ void __launch_bounds__(threads) median_down_columns(EdgeSlice<T> image, int radius, T* __restrict__ to) {
  extern __shared__ std::uint16_t counts[];
  constexpr int bytes = sizeof(T);
  const Index x = Index{blockIdx.x} / image.channels * threads + threadIdx.x;
  const int channel = static_cast<int>(blockIdx.x % static_cast<unsigned>(image.channels));
  const Index top = Index{blockIdx.y} * run_rows;
  const Index slice = blockIdx.z;
  if (x >= image.width) return;
  const EdgeSlice<T> source = slice_of(image, slice);
  const auto key_at = [&](Index y, Index dx) { return unsigned_key<T>(source.at(y, x + dx, channel)); };
  constexpr int top_shift = 8 * (bytes - 1);
  Histogram highest{counts + threadIdx.x, counts + bins * threads + threadIdx.x};
  highest.clear();
  const auto add_row = [&](Index y, int change) {
    for (int dx = -radius; dx <= radius; ++dx) highest.add(key_at(y, dx) >> top_shift, change);
  };
  for (Index y = top - radius; y < top + radius; ++y) add_row(y, 1);
  const Index bottom = min(top + run_rows, image.height);
  for (Index y = top; y < bottom; ++y) {
    add_row(y + radius, 1);
    int rank = (2 * radius + 1) * (2 * radius + 1) / 2;
    std::uint32_t key = highest.find(rank);
    if constexpr (bytes > 1) {
      constexpr std::size_t other = histogram_bytes / sizeof(std::uint16_t);
      Histogram next{highest.fine + other, highest.coarse + other};
      for (int shift = top_shift - 8; shift >= 0; shift -= 8) {
        next.clear();
        for (Index row = y - radius; row <= y + radius; ++row) {
          for (int dx = -radius; dx <= radius; ++dx) {
            const std::uint32_t number = key_at(row, dx) >> shift;
            if (number >> 8 == key) next.add(number & 0xffU, 1);
          }
        }
        key = key << 8 | next.find(rank);
      }
    }
    if constexpr (std::is_same_v<T, float>) key ^= 0x80000000U;
    to[((slice * image.height + y) * image.width + x) * image.channels + channel] =
        kernels::from_ordered<T>(static_cast<Ordered<T>>(key));
    add_row(y - radius, -1);
  }
}

}  // namespace

template <class T>
void median_by_histogram(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
                         const T* from, T* to) {
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  constexpr std::size_t shared = histogram_bytes * (sizeof(T) > 1 ? 2 : 1);
  const dim3 blocks =
      grid_of(divide_up(format.width, threads) * image.channels, divide_up(format.height, run_rows), format.slices());
  launch(ctx, "median", median_down_columns<T>, {blocks, threads, shared}, image, static_cast<int>(radius), to);
}

#define WHORL_INSTANTIATE(T) \
  template void median_by_histogram(const Context&, const ImageFormat&, Index, kernels::Edge<T>, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
