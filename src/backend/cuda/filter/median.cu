#include "backend/cuda/filter/edge_slice.cuh"
#include "backend/cuda/filter/median.hpp"
#include "backend/cuda/filter/median_large.hpp"
#include "backend/cuda/filter/median_network.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Ordered;

constexpr int lanes = 32;
constexpr int warps = 8;
constexpr int tile_rows = 32;
// A window's row is in one word, and those of a tile in two.
constexpr int largest_side = 31;

template <class T>
constexpr int key_bits = 8 * sizeof(T);

template <class T>
__device__ std::uint32_t unsigned_key(Ordered<T> key) {
  if constexpr (std::is_same_v<T, float>) return static_cast<std::uint32_t>(key) ^ 0x80000000U;
  return key;
}

// Bit by bit from the highest: the median's bit is zero where enough of the numbers that agree with it so far have a
// zero there. A block has its numbers as planes of bits, so that a row of a window is a word; `most` is the largest
// side of a window.
template <class T, int most>
__global__ void __launch_bounds__(lanes* warps) median_by_bits(EdgeSlice<T> image, int radius, T* __restrict__ to) {
  constexpr int bits = key_bits<T>;
  __shared__ std::uint32_t planes[bits][tile_rows + most - 1][2];
  const int lane = static_cast<int>(threadIdx.x);
  const int channel = static_cast<int>(blockIdx.x % static_cast<unsigned>(image.channels));
  const Index left = Index{blockIdx.x} / image.channels * lanes;
  const Index top = Index{blockIdx.y} * tile_rows;
  const Index slice = blockIdx.z;
  const EdgeSlice<T> source = slice_of(image, slice);
  const int side = 2 * radius + 1;
  for (int row = static_cast<int>(threadIdx.y); row < tile_rows + 2 * radius; row += warps) {
    std::uint32_t keys[2];
    for (int half = 0; half < 2; ++half) {
      keys[half] = unsigned_key<T>(source.at(top + row - radius, left + lane + half * lanes - radius, channel));
    }
#pragma unroll
    for (int bit = 0; bit < bits; ++bit) {
      for (int half = 0; half < 2; ++half) {
        const std::uint32_t word = __ballot_sync(~0U, (keys[half] >> bit & 1) != 0);
        if (lane == 0) planes[bit][row][half] = word;
      }
    }
  }
  __syncthreads();
  const std::uint32_t row_mask = (std::uint32_t{1} << side) - 1;
  for (int row = static_cast<int>(threadIdx.y); row < tile_rows; row += warps) {
    std::uint32_t alive[most];
#pragma unroll
    for (int y = 0; y < most; ++y) alive[y] = y < side ? row_mask : 0;
    int rank = side * side / 2;
    std::uint32_t key = 0;
#pragma unroll 1
    for (int bit = bits - 1; bit >= 0; --bit) {
      std::uint32_t ones[most];
      int zeros = 0;
#pragma unroll
      for (int y = 0; y < most; ++y) {
        if (y >= side) continue;
        const std::uint32_t* words = planes[bit][row + y];
        ones[y] = __funnelshift_r(words[0], words[1], lane);
        zeros += __popc(alive[y] & ~ones[y]);
      }
      const bool is_one = rank >= zeros;
      if (is_one) rank -= zeros;
      key = 2 * key + (is_one ? 1 : 0);
      const std::uint32_t flip = is_one ? 0 : ~0U;
#pragma unroll
      for (int y = 0; y < most; ++y) {
        if (y < side) alive[y] &= ones[y] ^ flip;
      }
    }
    const Index y = top + row;
    const Index x = left + lane;
    if (y >= image.height || x >= image.width) continue;
    if constexpr (std::is_same_v<T, float>) key ^= 0x80000000U;
    to[((slice * image.height + y) * image.width + x) * image.channels + channel] =
        kernels::from_ordered<T>(static_cast<Ordered<T>>(key));
  }
}

unsigned tiles(Index extent, Index tile) { return static_cast<unsigned>((extent + tile - 1) / tile); }

template <class T, int most>
void launch_bits(const Context& ctx, const EdgeSlice<T>& image, Index slices, Index radius, T* to) {
  const dim3 blocks(tiles(image.width, lanes) * static_cast<unsigned>(image.channels), tiles(image.height, tile_rows),
                    static_cast<unsigned>(slices));
  median_by_bits<T, most><<<blocks, dim3(lanes, warps), 0, stream_of(ctx)>>>(image, static_cast<int>(radius), to);
}

}  // namespace

template <class T>
void median(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge, const T* from, T* to) {
  if (radius <= largest_network_radius) return median_by_network(ctx, format, radius, edge, from, to);
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const Index side = 2 * radius + 1;
  if (side > largest_side) return median_by_histogram(ctx, format, radius, edge, from, to);
  constexpr int small_side = 9;
  constexpr int middle_side = 15;
  if (side <= small_side) {
    launch_bits<T, small_side>(ctx, image, format.slices(), radius, to);
  } else if (side <= middle_side) {
    launch_bits<T, middle_side>(ctx, image, format.slices(), radius, to);
  } else {
    launch_bits<T, largest_side>(ctx, image, format.slices(), radius, to);
  }
  check_launch("median");
}

#define WHORL_INSTANTIATE(T) \
  template void median(const Context&, const ImageFormat&, Index, kernels::Edge<T>, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
