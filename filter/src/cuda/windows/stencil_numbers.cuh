// Stencils on numbers of any type: a block sums a tile of one channel, a thread eight pixels next to each other, whose
// numbers pass through its registers.
#pragma once

#include <type_traits>

#include "filter/src/cuda/windows/stencil_job.cuh"
#include "filter/src/kernels/multiply_add.hpp"

namespace whorl::backend::cuda {

inline constexpr int numbers_tile_x = 64;
inline constexpr int numbers_tile_y = 32;
inline constexpr int numbers_each = 8;

/// Four words are skipped after each 32, so that the vectors that eight threads read are in different banks.
__host__ __device__ constexpr int spread_word(int x) { return x + (x >> 5) * 4; }

/// Word is the type of numbers and weights in shared memory, Sum the type of sums.
template <class T, class Word, class Sum, class Out>
__global__ void __launch_bounds__(256)
    stencil_numbers(const StencilJob job, const __grid_constant__ StencilWeights small, const int* __restrict__ large,
                    const T* __restrict__ from, Out* __restrict__ to) {
  extern __shared__ int4 stencil_memory[];
  Word* const weights = reinterpret_cast<Word*>(stencil_memory);
  const int row_words = (job.kernel_width + 3) / 4 * 4;
  Word* const tile = weights + job.chunk_rows * row_words;
  const int tx = threadIdx.x % (numbers_tile_x / numbers_each);
  const int ty = threadIdx.x / (numbers_tile_x / numbers_each);
  const Index at = blockIdx.x;
  const Index x0 = at % job.tiles_x * numbers_tile_x;
  const Index y0 = at / job.tiles_x % job.tiles_y * numbers_tile_y;
  const Index plane = at / (job.tiles_x * job.tiles_y);
  const int channel = static_cast<int>(plane % job.channels);
  const Index slice = plane / job.channels * job.height * job.width;
  const int columns = numbers_tile_x + row_words + 4;

  Sum sums[numbers_each] = {};
  for (int chunk = 0; chunk < job.kernel_height; chunk += job.chunk_rows) {
    const int rows = min(job.chunk_rows, job.kernel_height - chunk);
    __syncthreads();
    for (int i = threadIdx.x; i < rows * row_words; i += blockDim.x) {
      const int word = large != nullptr ? large[chunk * row_words + i] : small.words[chunk * row_words + i];
      if constexpr (std::is_same_v<Word, float>) {
        weights[i] = __int_as_float(word);
      } else {
        weights[i] = word;
      }
    }
    for (int i = threadIdx.x; i < (numbers_tile_y + rows - 1) * columns; i += blockDim.x) {
      const int column = i % columns;
      const int row = i / columns;
      const Index y = border_index(job.border, y0 - job.kernel_height / 2 + chunk + row, job.height);
      const Index x = border_index(job.border, x0 - job.kernel_width / 2 + column, job.width);
      tile[row * job.pitch + spread_word(column)] =
          y < 0 || x < 0 ? static_cast<Word>(job.border_value)
                         : static_cast<Word>(from[(slice + y * job.width + x) * job.channels + channel]);
    }
    __syncthreads();
    for (int ky = 0; ky < rows; ++ky) {
      const Word* row = tile + (ty + ky) * job.pitch;
      Word window[numbers_each + 4];
      const auto load = [&](int column, Word* target) {
        const int4 words = *reinterpret_cast<const int4*>(row + spread_word(tx * numbers_each + column));
        memcpy(target, &words, sizeof words);
      };
      load(0, window);
      load(4, window + 4);
      for (int kx = 0; kx < job.kernel_width; kx += 4) {
        load(kx + numbers_each, window + numbers_each);
        Word weight[4];
        const int4 words = *reinterpret_cast<const int4*>(weights + ky * row_words + kx);
        memcpy(weight, &words, sizeof words);
#pragma unroll
        for (int t = 0; t < 4; ++t) {
          // Columns that the kernel lacks are skipped, not multiplied by 0: 0 times NaN is NaN.
          if (kx + t >= job.kernel_width) break;
#pragma unroll
          for (int j = 0; j < numbers_each; ++j) {
            sums[j] = kernels::multiply_add(static_cast<Sum>(window[j + t]), static_cast<Sum>(weight[t]), sums[j]);
          }
        }
#pragma unroll
        for (int j = 0; j < numbers_each; ++j) window[j] = window[j + 4];
      }
    }
  }
  const Index y = y0 + ty;
  if (y >= job.height) return;
#pragma unroll
  for (int j = 0; j < numbers_each; ++j) {
    const Index x = x0 + tx * numbers_each + j;
    if (x < job.width) put_finished(job, sums[j], to + (slice + y * job.width + x) * job.channels + channel);
  }
}

}  // namespace whorl::backend::cuda
