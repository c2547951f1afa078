// Images of edges from their bits, on an NVIDIA GPU.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/canny/components.cuh"
#include "filter/src/cuda/canny/components.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

template <class T>
inline constexpr T full = static_cast<T>(std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max());

struct EdgeBits {
  Index width;
  unsigned words_per_row, words_per_slice, warps_per_row, warps;
  const std::uint32_t* edges;
  const std::uint32_t* open;
  int* parents;
};

template <class T, int count>
__device__ void paint_bits(std::uint32_t bits, T* to) {
  if constexpr (sizeof(T) == 1 && count > 1) {
    struct alignas(count) Words {
      std::uint32_t values[count / 4];
    };
    Words words;
#pragma unroll
    for (int i = 0; i < count / 4; ++i) {
      // Bit j of four to byte j.
      words.values[i] = (((bits >> (4 * i) & 0xfU) * 0x00204081U) & 0x01010101U) * 0xffU;
    }
    *reinterpret_cast<Words*>(to) = words;
  } else {
    struct alignas(count * sizeof(T)) Numbers {
      T values[count];
    };
    Numbers numbers;
#pragma unroll
    for (int i = 0; i < count; ++i) numbers.values[i] = ((bits >> i) & 1U) != 0 ? full<T> : T{};
    *reinterpret_cast<Numbers*>(to) = numbers;
  }
}

// A warp takes several words of a row. Its lanes share the runs that other tiles may connect with a seed. Then they
// paint the words together; a lane writes one number at a time, or a vector if rows are aligned to vectors.
template <class T, int count>
__global__ void __launch_bounds__(loop_threads) paint_kernel(EdgeBits bits, T* __restrict__ to) {
  using components::Word;
  constexpr int lanes = 32;
  constexpr int word_bits = components::word_bits;
  constexpr int lanes_per_word = word_bits / count;
  __shared__ Word edges_of_warps[loop_threads / lanes][lanes];
  __shared__ Word open_of_warps[loop_threads / lanes][lanes];
  __shared__ std::uint16_t lists_of_warps[loop_threads / lanes][lanes * components::nodes_per_word];
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  const int warp_of_block = static_cast<int>(threadIdx.x) / lanes;
  Word* const edges = edges_of_warps[warp_of_block];
  Word* const open = open_of_warps[warp_of_block];
  std::uint16_t* const list = lists_of_warps[warp_of_block];
  const unsigned stride = gridDim.x * (loop_threads / lanes);
  // There are fewer than 2^32 words, because components need more memory for each word.
  for (unsigned warp = blockIdx.x * (loop_threads / lanes) + warp_of_block; warp < bits.warps; warp += stride) {
    const unsigned row = warp / bits.warps_per_row;
    const unsigned first = warp % bits.warps_per_row * lanes;
    const unsigned first_word = row * bits.words_per_row + first;
    const bool is_word = first + lane < bits.words_per_row;
    const Word open_here = is_word ? bits.open[first_word + lane] : 0;
    edges[lane] = is_word ? bits.edges[first_word + lane] : 0;
    if (__any_sync(~0U, open_here != 0)) {
      open[lane] = open_here;
      const Word begins_here = components::begins_of(open_here);
      const int runs = __popc(begins_here);
      int place = components::sum_of_lanes_before(runs);
      const int all = __shfl_sync(~0U, place + runs, lanes - 1);
      for (Word begins = begins_here; begins != 0; begins &= begins - 1, ++place) {
        list[place] = static_cast<std::uint16_t>(lane * word_bits + components::lowest_bit(begins));
      }
      __syncwarp();
      const unsigned number = first_word % bits.words_per_slice;
      int* const parents = bits.parents + Index{first_word - number} * components::nodes_per_word;
      for (int at = lane; at < all; at += lanes) {
        const int word = list[at] / word_bits;
        const int bit = list[at] % word_bits;
        if (components::root_of(parents, components::node_of(static_cast<int>(number) + word, bit)) ==
            components::seeded) {
          atomicOr(edges + word, components::lowest_run(open[word] >> bit << bit));
        }
      }
    }
    __syncwarp();
#pragma unroll 4
    for (int i = 0; i < lanes_per_word; ++i) {
      const int place = i * lanes + lane;
      const Word here = edges[place / lanes_per_word];
      const Index x = Index{first} * word_bits + place * count;
      if (x < bits.width) paint_bits<T, count>(here >> (place % lanes_per_word * count), to + row * bits.width + x);
    }
    __syncwarp();
  }
}

template <class T, int count>
void paint(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* edges, OpenRuns& open, T* to) {
  constexpr int lanes = 32;
  const Index words_per_row = masks.words_per_row();
  const Index warps_per_row = divide_up(words_per_row, lanes);
  const Index warps = masks.slices * masks.height * warps_per_row;
  const EdgeBits bits{masks.width,
                      static_cast<unsigned>(words_per_row),
                      static_cast<unsigned>(masks.height * words_per_row),
                      static_cast<unsigned>(warps_per_row),
                      static_cast<unsigned>(warps),
                      edges,
                      open.words.data(),
                      open.parents.data()};
  const unsigned blocks = loop_blocks(ctx, warps * lanes);
  launch(ctx, "canny", paint_kernel<T, count>, {blocks, loop_threads}, bits, to);
}

}  // namespace whorl::backend::cuda
