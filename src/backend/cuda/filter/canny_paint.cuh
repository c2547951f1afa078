// Images of edges from their bits, on an NVIDIA GPU.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "backend/cuda/filter/rows.hpp"
#include "backend/cuda/runtime.hpp"
#include "kernels/filter/components.hpp"

namespace whorl::backend::cuda {

template <class T>
inline constexpr T full = static_cast<T>(std::is_floating_point_v<T> ? 1 : std::numeric_limits<T>::max());

// One number per thread, or a vector where rows begin at whole vectors.
template <class T, int count>
__global__ void paint_kernel(Index rows, Index width, Index words_per_row, const std::uint32_t* __restrict__ edges,
                             T* __restrict__ to) {
  struct alignas(count * sizeof(T)) Numbers {
    T values[count];
  };
  const Index x = (blockIdx.x * Index{blockDim.x} + threadIdx.x) * count;
  if (x >= width) return;
  for (Index row = blockIdx.y; row < rows; row += gridDim.y) {
    const std::uint32_t bits =
        edges[row * words_per_row + x / kernels::BitMasks::word_bits] >> (x % kernels::BitMasks::word_bits);
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
    *reinterpret_cast<Numbers*>(to + row * width + x) = numbers;
  }
}

template <class T, int count>
void paint(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* edges, T* to) {
  const Index rows = masks.slices * masks.height;
  paint_kernel<T, count><<<grid_of_rows(masks.width / count, rows), loop_threads, 0, stream_of(ctx)>>>(
      rows, masks.width, masks.words_per_row(), edges, to);
  check_launch("canny");
}

}  // namespace whorl::backend::cuda
