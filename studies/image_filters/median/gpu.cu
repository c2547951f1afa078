// The median on a GPU, a thread for each pixel. Each version changes one thing.
#include "studies/image_filters/gpu_launch.cuh"
#include "studies/image_filters/median/median.hpp"
#include "whorl/core/array.hpp"

namespace whorl::studies::image_filters {

namespace {

__device__ Byte level_of(const Job& job, int y, int x, int channel) {
  const Index at = Index{wrapped(y, job.height)} * job.width + wrapped(x, job.width);
  return job.from[3 * at + channel];
}

// step: sorted window, a test of edges for each pixel
/// The window in the thread's own array, sorted up to its middle by exchanges: an array that is indexed by loops lies in
/// local memory.
__global__ void median_by_sorting(Job job) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  for (int channel = 0; channel < 3; ++channel) {
    Byte window[median_taps];
    int taps = 0;
    for (int j = -median_radius; j <= median_radius; ++j) {
      for (int i = -median_radius; i <= median_radius; ++i) window[taps++] = level_of(job, y + j, x + i, channel);
    }
#pragma unroll 1
    for (int i = 0; i <= median_place; ++i) {
      int least = i;
#pragma unroll 1
      for (int j = i + 1; j < median_taps; ++j) {
        if (window[j] < window[least]) least = j;
      }
      const Byte level = window[least];
      window[least] = window[i];
      window[i] = level;
    }
    job.to[3 * (Index{y} * job.width + x) + channel] = window[median_place];
  }
}
// end of step

// step: bit by bit
/// The median's bits from the highest on (host.cpp): no array, eight times the loads.
__global__ void median_bits(Job job) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  for (int channel = 0; channel < 3; ++channel) {
    int median = 0;
    for (int bit = 128; bit > 0; bit /= 2) {
      const int candidate = median | bit;
      int below = 0;
      for (int j = -median_radius; j <= median_radius; ++j) {
        for (int i = -median_radius; i <= median_radius; ++i) {
          below += level_of(job, y + j, x + i, channel) < candidate ? 1 : 0;
        }
      }
      if (below <= median_place) median = candidate;
    }
    job.to[3 * (Index{y} * job.width + x) + channel] = static_cast<Byte>(median);
  }
}
// end of step

/// The picture with a frame of its opposite edges, a word a pixel.
__global__ void pad_to_words(Job job, unsigned* words) {
  const int x = pixel_x();
  const int y = pixel_y();
  const int width = job.width + 2 * median_radius;
  if (x >= width || y >= job.height + 2 * median_radius) return;
  unsigned word = 0;
  for (int channel = 0; channel < 3; ++channel) {
    word |= static_cast<unsigned>(level_of(job, y - median_radius, x - median_radius, channel)) << (8 * channel);
  }
  words[Index{y} * width + x] = word;
}

// step: padding in place of tests, a word a pixel; a tile in shared memory
/// Finds the three bits together; `read(j, i)` is pixel j, i of the window.
template <class Read>
__device__ void store_bits(const Job& job, int x, int y, const Read& read) {
  int median[3] = {};
  for (int bit = 128; bit > 0; bit /= 2) {
    int below[3] = {};
    for (int j = 0; j < median_extent; ++j) {
      for (int i = 0; i < median_extent; ++i) {
        const unsigned pixel = read(j, i);
#pragma unroll
        for (int c = 0; c < 3; ++c) below[c] += static_cast<int>(pixel >> (8 * c) & 255U) < (median[c] | bit) ? 1 : 0;
      }
    }
#pragma unroll
    for (int c = 0; c < 3; ++c) median[c] = below[c] <= median_place ? median[c] | bit : median[c];
  }
  Byte* const to = job.to + 3 * (Index{y} * job.width + x);
#pragma unroll
  for (int c = 0; c < 3; ++c) to[c] = static_cast<Byte>(median[c]);
}
// end of step

// step: padding in place of tests, a word a pixel
__global__ void median_bits_padded(Job job, const unsigned* words) {
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  const int width = job.width + 2 * median_radius;
  store_bits(job, x, y, [&](int j, int i) { return words[Index{y + j} * width + x + i]; });
}
// end of step

// step: a tile in shared memory; all colors in one comparison
constexpr int median_tile_width = 32 + 2 * median_radius;
constexpr int median_tile_height = 8 + 2 * median_radius;

__device__ void load_words(const Job& job, const unsigned* words, unsigned* tile) {
  const int width = job.width + 2 * median_radius;
  const int height = job.height + 2 * median_radius;
  const int left = static_cast<int>(blockIdx.x * blockDim.x);
  const int top = static_cast<int>(blockIdx.y * blockDim.y);
  const auto threads = static_cast<int>(blockDim.x * blockDim.y);
  for (auto i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); i < median_tile_width * median_tile_height;
       i += threads) {
    const int x = min(left + i % median_tile_width, width - 1);
    const int y = min(top + i / median_tile_width, height - 1);
    tile[i] = words[Index{y} * width + x];
  }
  __syncthreads();
}
// end of step

// step: a tile in shared memory
__global__ void median_bits_shared(Job job, const unsigned* words) {
  __shared__ unsigned tile[median_tile_width * median_tile_height];
  load_words(job, words, tile);
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  const unsigned* const first = tile + threadIdx.y * median_tile_width + threadIdx.x;
  store_bits(job, x, y, [&](int j, int i) { return first[j * median_tile_width + i]; });
}
// end of step

// step: all colors in one comparison
/// All colors of a pixel in one comparison of four bytes; their counts, 49 at most, fit into bytes too.
__global__ void median_bits_in_words(Job job, const unsigned* words) {
  __shared__ unsigned tile[median_tile_width * median_tile_height];
  load_words(job, words, tile);
  const int x = pixel_x();
  const int y = pixel_y();
  if (x >= job.width || y >= job.height) return;
  const unsigned* const first = tile + threadIdx.y * median_tile_width + threadIdx.x;
  constexpr unsigned ones = 0x01010101U;
  unsigned median = 0;
  for (unsigned bit = 0x80U; bit > 0; bit /= 2) {
    const unsigned candidate = median | bit * ones;
    unsigned below = 0;
#pragma unroll
    for (int j = 0; j < median_extent; ++j) {
#pragma unroll
      for (int i = 0; i < median_extent; ++i) {
        below += __vcmpltu4(first[j * median_tile_width + i], candidate) & ones;
      }
    }
    median |= __vcmpleu4(below, median_place * ones) & bit * ones;
  }
  Byte* const to = job.to + 3 * (Index{y} * job.width + x);
#pragma unroll
  for (int c = 0; c < 3; ++c) to[c] = static_cast<Byte>(median >> (8 * c) & 255U);
}
// end of step

template <void (*kernel)(Job)>
void run_median(const Context& ctx, const Job& job) {
  kernel<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job);
  check_launch("a median");
}

template <void (*kernel)(Job, const unsigned*)>
void run_median_of_words(const Context& ctx, const Job& job) {
  const int width = job.width + 2 * median_radius;
  const int height = job.height + 2 * median_radius;
  Array<unsigned> words(ctx, {height, width});
  pad_to_words<<<pixel_grid(width, height), pixel_block, 0, stream_of(ctx)>>>(job, words.data());
  check_launch("pad_to_words");
  kernel<<<pixel_grid(job.width, job.height), pixel_block, 0, stream_of(ctx)>>>(job, words.data());
  check_launch("a median of words");
}

}  // namespace

std::vector<Step> median_on_gpu() {
  return {{"sorted window, a test of edges for each pixel", run_median<median_by_sorting>},
          {"bit by bit", run_median<median_bits>},
          {"padding in place of tests, a word a pixel", run_median_of_words<median_bits_padded>},
          {"a tile in shared memory", run_median_of_words<median_bits_shared>},
          {"all colors in one comparison", run_median_of_words<median_bits_in_words>}};
}

}  // namespace whorl::studies::image_filters
