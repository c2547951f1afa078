// Images of edges from their bits, on an NVIDIA GPU.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backend/cuda/filter/components.cuh"
#include "backend/cuda/filter/components.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

template <class T>
inline constexpr T full = static_cast<T>(std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max());

struct EdgeBits {
  Index rows, width;
  int words_per_row, words_per_slice, warps_per_row;
  const std::uint32_t* edges;
  const std::uint32_t* open;
  int* parents;
};

template <class T, int count>
__device__ void paint_bits(std::uint32_t bits, T* to) {
  struct alignas(count * sizeof(T)) Numbers {
    T values[count];
  };
  Numbers numbers;
  if constexpr (sizeof(T) == 1 && count > 1) {
    std::uint32_t words[count / 4];
#pragma unroll
    for (int i = 0; i < count / 4; ++i) {
      // Bit j of four to byte j.
      words[i] = (((bits >> (4 * i) & 0xfU) * 0x00204081U) & 0x01010101U) * 0xffU;
    }
    memcpy(&numbers, words, sizeof words);
  } else {
#pragma unroll
    for (int i = 0; i < count; ++i) numbers.values[i] = ((bits >> i) & 1U) != 0 ? full<T> : T{};
  }
  *reinterpret_cast<Numbers*>(to) = numbers;
}

// A lane gathers the runs of a word that are connected with a seed in another tile; then the warp paints its words
// together, some numbers of a row per lane at a time: one, or a vector where rows begin at whole vectors.
template <class T, int count>
__global__ void __launch_bounds__(loop_threads) paint_kernel(EdgeBits bits, T* __restrict__ to) {
  constexpr int word_bits = components::word_bits;
  constexpr int lanes_per_word = word_bits / count;
  const int lane = static_cast<int>(threadIdx.x) % word_bits;
  const Index stride = Index{gridDim.x} * (blockDim.x / word_bits);
  for (Index warp = blockIdx.x * Index{blockDim.x / word_bits} + threadIdx.x / word_bits;
       warp < bits.rows * bits.warps_per_row; warp += stride) {
    const Index row = warp / bits.warps_per_row;
    const int first = static_cast<int>(warp % bits.warps_per_row) * word_bits;
    std::uint32_t edges = 0;
    if (first + lane < bits.words_per_row) {
      const Index word = row * bits.words_per_row + first + lane;
      edges = bits.edges[word];
      const std::uint32_t open = bits.open[word];
      if (open != 0) {
        const auto number = static_cast<int>(word % bits.words_per_slice);
        edges |= components::seeded_runs(bits.parents + (word - number) * components::nodes_per_word, number, open);
      }
    }
    __syncwarp();
#pragma unroll 4
    for (int i = 0; i < lanes_per_word; ++i) {
      const int place = i * word_bits + lane;
      const std::uint32_t here = __shfl_sync(~0U, edges, place / lanes_per_word);
      const Index x = Index{first} * word_bits + place * count;
      if (x < bits.width) paint_bits<T, count>(here >> (place % lanes_per_word * count), to + row * bits.width + x);
    }
  }
}

template <class T, int count>
void paint(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* edges, OpenRuns& open, T* to) {
  constexpr int word_bits = components::word_bits;
  const auto words_per_row = static_cast<int>(masks.words_per_row());
  const int warps_per_row = (words_per_row + word_bits - 1) / word_bits;
  const EdgeBits bits{masks.slices * masks.height,
                      masks.width,
                      words_per_row,
                      static_cast<int>(masks.height) * words_per_row,
                      warps_per_row,
                      edges,
                      open.words.data(),
                      open.parents.data()};
  const unsigned blocks = loop_blocks(ctx, bits.rows * warps_per_row * word_bits);
  paint_kernel<T, count><<<blocks, loop_threads, 0, stream_of(ctx)>>>(bits, to);
  check_launch("canny");
}

}  // namespace whorl::backend::cuda
