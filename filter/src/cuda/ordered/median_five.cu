#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/ordered/median_network.hpp"
#include "filter/src/cuda/ordered/median_of_25.cuh"
#include "filter/src/cuda/ordered/strip_keys.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

constexpr int lanes = 32;
constexpr int warps = 8;
constexpr int radius = 2;
constexpr int strip_pixels = 4;

template <class T, int channels>
struct Tile {
  using Parts = Strips<T, channels, strip_pixels>;
  static constexpr int per_word = numbers_per_word<T>;
  // The number of words on each side of a thread's words and of a tile; even, so that threads take words in pairs.
  static constexpr int halo = (radius * channels + 2 * per_word - 1) / (2 * per_word) * 2;
  static constexpr int thread_words = Parts::own + 2 * halo;
  static constexpr int pitch = lanes * Parts::own + 2 * halo;
  static constexpr int rows = Parts::own > 8 ? 16 : 32;
  static constexpr int rows_read = rows + 2 * radius;
  std::uint32_t words[rows_read][pitch];
};

// Loads the words of a tile inside the image, with rows aligned to words: all loads precede the first store.
template <class T, int channels, class Ends>
__device__ void load_inside(const WordRows<T>& source, const Ends& ends, Index top, Index first,
                            Tile<T, channels>& tile) {
  using Sizes = Tile<T, channels>;
  constexpr int rows = divide_up(Sizes::rows_read, warps);
  constexpr int columns = divide_up(Sizes::pitch, lanes);
  const int lane = static_cast<int>(threadIdx.x);
  const int warp = static_cast<int>(threadIdx.y);
  const T* const start = source.slice.pixels + (top - radius) * source.row + first;
#pragma unroll 2
  for (int i = 0; i < rows; ++i) {
    const int y = warp + i * warps;
    if (y >= Sizes::rows_read) continue;
    const auto* from = reinterpret_cast<const std::uint32_t*>(start + y * source.row);
    std::uint32_t found[columns];
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const int word = lane + j * lanes;
      found[j] = word < Sizes::pitch ? __ldg(from + word) : 0;
    }
    ends.load(found);
#pragma unroll
    for (int j = 0; j < columns; ++j) {
      const int word = lane + j * lanes;
      if (word < Sizes::pitch) tile.words[y][word] = source.keys(found[j]);
    }
  }
}

template <class T, int channels, class Ends>
__device__ void load_any(const WordRows<T>& source, const Ends& ends, Index top, Index first, Tile<T, channels>& tile) {
  using Sizes = Tile<T, channels>;
  // The last tile of a row may extend far beyond the needed pixels.
  const Index end = source.row + radius * channels;
#pragma unroll 1
  for (int y = static_cast<int>(threadIdx.y); y < Sizes::rows_read; y += warps) {
    const T* start = source.start(top + y - radius);
#pragma unroll 1
    for (int word = static_cast<int>(threadIdx.x); word < Sizes::pitch; word += lanes) {
      const Index number = first + word * Sizes::per_word;
      tile.words[y][word] = number < end ? source.word(start, number, ends) : 0;
    }
  }
}

template <class T, int channels, class Ends>
__global__ void __launch_bounds__(lanes* warps, 2)
    median_of_five(EdgeSlice<T> image, const __grid_constant__ Ends ends, T* __restrict__ to) {
  using Sizes = Tile<T, channels>;
  using Parts = typename Sizes::Parts;
  using Keys = typename Parts::Keys;
  constexpr int per_word = Sizes::per_word;
  __shared__ alignas(sizeof(uint2)) Tile<T, channels> tile;
  const int lane = static_cast<int>(threadIdx.x);
  const Index row = image.width * channels;
  const Index top = Index{blockIdx.y} * Sizes::rows;
  const Index slice = blockIdx.z;
  const WordRows<T> source{slice_of(image, slice), row};
  const Index left = Index{blockIdx.x} * lanes * Parts::own * per_word;
  const Index first_read = left - Sizes::halo * per_word;
  const bool is_inner = top >= radius && top + Sizes::rows + radius <= image.height && first_read >= 0 &&
                        first_read + Sizes::pitch * per_word <= row;
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(source.slice.pixels) % word_bytes == 0 && row % per_word == 0;
  if constexpr (Ends::any) {
    ends.prepare();
    __syncthreads();
  }
  if (is_inner && is_aligned) {
    load_inside(source, ends, top, first_read, tile);
  } else {
    load_any(source, ends, top, first_read, tile);
  }
  __syncthreads();

  const Index first = left + lane * Parts::own * per_word;
  if (first >= row) return;
#pragma unroll 1
  for (int y = 2 * static_cast<int>(threadIdx.y); y < Sizes::rows && top + y < image.height; y += 2 * warps) {
    std::uint32_t medians[2][Parts::own] = {};
    std::uint32_t words[2 * radius + 2][Sizes::thread_words];
#pragma unroll
    for (int i = 0; i < 2 * radius + 2; ++i) {
#pragma unroll
      for (int k = 0; k < Sizes::thread_words; k += 2) {
        const uint2 pair = *reinterpret_cast<const uint2*>(&tile.words[y + i][lane * Parts::own + k]);
        words[i][k] = pair.x;
        words[i][k + 1] = pair.y;
      }
    }
#pragma unroll
    for (int channel = 0; channel < channels; ++channel) {
      medians_of_25<Keys, strip_pixels>(
          [&](int i, int column) {
            return Parts::take(words[i], Sizes::halo * per_word + (column - radius) * channels + channel);
          },
          [&](int i, int column, Keys median) { Parts::put(median, column * channels + channel, medians[i]); });
    }
    T* const target = to + (slice * image.height + top + y) * row + first;
    store_words(medians[0], first, row, target, ends);
    if (top + y + 1 < image.height) store_words(medians[1], first, row, target + row, ends);
  }
}

}  // namespace

template <class T>
bool median_of_five_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge,
                         const kernels::PointEnds& points, const T* from, T* to) {
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const auto start = [&]<int channels>(std::integral_constant<int, channels> /*of the image*/) {
    using Sizes = Tile<T, channels>;
    constexpr Index wide = Index{lanes} * Sizes::Parts::own * Sizes::per_word;
    const dim3 blocks = grid_of(divide_up(format.row(), wide), divide_up(format.height, Sizes::rows), format.slices());
    with_ends<T>(points, [&](const auto& ends) {
      using Ends = std::decay_t<decltype(ends)>;
      launch(ctx, "median", median_of_five<T, channels, Ends>, {blocks, dim3(lanes, warps)}, image, ends, to);
    });
  };
  constexpr int gray = 1;
  constexpr int rgb = 3;
  if (image.channels == gray) {
    start(std::integral_constant<int, gray>());
  } else if (image.channels == rgb) {
    start(std::integral_constant<int, rgb>());
  } else {
    return false;
  }
  return true;
}

#define WHORL_INSTANTIATE(T)                                                                                         \
  template bool median_of_five_rows(const Context&, const ImageFormat&, kernels::Edge<T>, const kernels::PointEnds&, \
                                    const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
