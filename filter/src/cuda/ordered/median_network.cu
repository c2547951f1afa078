#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/edge_slice.cuh"
#include "filter/src/cuda/ordered/comparators.cuh"
#include "filter/src/cuda/ordered/median_network.hpp"
#include "filter/src/cuda/ordered/packed_keys.cuh"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Ordered;

// A tile of a block, in words of four bytes.
constexpr int tile_words = 64;
constexpr int tile_rows = 16;
constexpr int threads = 256;
// The halo of both sides together, for the pixels with the most bytes.
template <int side>
constexpr int halo_words = (side - 1) * 4;
constexpr int word_bytes = 4;

// The median of 3 sorted columns is the median of three numbers: the largest of their smallest ones, the median of
// their middle ones, and the smallest of their largest ones.
template <class Keys, class Load>
__device__ __forceinline__ Keys median_of_columns(std::integral_constant<int, 3> /*side*/, const Load& load) {
  const Keys low = larger(larger(load(0, 0), load(1, 0)), load(2, 0));
  const Keys mid = middle(load(0, 1), load(1, 1), load(2, 1));
  const Keys high = smaller(smaller(load(0, 2), load(1, 2)), load(2, 2));
  return middle(low, mid, high);
}

// The median of 5 sorted columns: two pairs of columns are merged, and one pair with the fifth column. Among its 15
// numbers those of rank 2 to 12 can be the median, so two of the 12 smaller numbers are left out, and the other ten are
// among these eleven and the ten of the other pair.
template <class Keys, class Load>
__device__ __forceinline__ Keys median_of_columns(std::integral_constant<int, 5> /*side*/, const Load& load) {
  constexpr int rows = 5;
  Keys wires[3 * rows];
  Keys three[11];
  Keys two[2 * rows];
  const auto load_column = [&](int column, Keys* to) {
#pragma unroll
    for (int i = 0; i < rows; ++i) to[i] = load(column, i);
  };
  load_column(0, wires);
  load_column(1, wires + rows);
  run<Merging<rows, rows, 0, 2 * rows>>(wires, two);
#pragma unroll
  for (int i = 0; i < 2 * rows; ++i) wires[i] = two[i];
  load_column(2, wires + 2 * rows);
  run<Merging<2 * rows, rows, 2, 13>>(wires, three);
  load_column(3, wires);
  load_column(4, wires + rows);
  run<Merging<rows, rows, 0, 2 * rows>>(wires, two);
  // The number of rank 10 of two sorted lists is the smallest of max(three[i - 1], two[10 - i]).
  Keys median = three[10];
#pragma unroll
  for (int i = 1; i <= 10; ++i) median = smaller(median, larger(three[i - 1], two[10 - i]));
  return median;
}

// Rows of a slice as words of keys, beginning with any number, including pixels beyond the edge.
template <class T>
struct WordRows {
  EdgeSlice<T> slice;
  Index row;  // numbers

  static constexpr int per_word = word_bytes / static_cast<int>(sizeof(T));

  __device__ std::uint32_t word(Index y, Index first) const {
    // Two aligned words contain any unaligned one; both are inside the row.
    if (y >= 0 && y < slice.height && first >= per_word && first + 2 * per_word <= row) {
      const auto address = reinterpret_cast<std::uintptr_t>(slice.pixels + y * row + first);
      const auto* words = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{3});
      const auto misplaced = static_cast<unsigned>(address & 3U);
      const std::uint32_t found = misplaced == 0 ? words[0] : __funnelshift_r(words[0], words[1], 8 * misplaced);
      if constexpr (sizeof(T) < word_bytes) return found;
      return static_cast<std::uint32_t>(kernels::to_ordered(__uint_as_float(found)));
    }
    std::uint32_t built = 0;
    for (int i = 0; i < per_word; ++i) {
      const Index number = first + i;
      const Index x = number >= 0 ? number / slice.channels : -((slice.channels - 1 - number) / slice.channels);
      const Ordered<T> key = slice.at(y, x, static_cast<int>(number - x * slice.channels));
      built |= static_cast<std::uint32_t>(key) << (8 * static_cast<int>(sizeof(T)) * i % 32);
    }
    return built;
  }
};

template <class T, int side>
__global__ void __launch_bounds__(threads) median_kernel(EdgeSlice<T> image, T* __restrict__ to) {
  using Keys = PackedKeys<T>;
  constexpr int radius = side / 2;
  constexpr int per_word = word_bytes / static_cast<int>(sizeof(T));
  constexpr int most_words = tile_words + halo_words<side>;
  __shared__ std::uint32_t rows[tile_rows + side - 1][most_words];
  __shared__ std::uint32_t columns[side][tile_rows][most_words];
  const Index row = image.width * image.channels;
  const Index left = Index{blockIdx.x} * tile_words * per_word;
  const Index top = Index{blockIdx.y} * tile_rows;
  const Index slice = blockIdx.z;
  const WordRows<T> source{slice_of(image, slice), row};
  const int halo_bytes = (side - 1) * image.channels * static_cast<int>(sizeof(T));
  const int words = tile_words + divide_up(halo_bytes, word_bytes);

  for (int i = static_cast<int>(threadIdx.x); i < (tile_rows + side - 1) * words; i += threads) {
    const int y = i / words;
    const int word = i - y * words;
    rows[y][word] = source.word(top + y - radius, left + word * per_word - radius * image.channels);
  }
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < tile_rows * words; i += threads) {
    const int y = i / words;
    const int word = i - y * words;
    Keys wires[side];
    Keys sorted[side];
#pragma unroll
    for (int k = 0; k < side; ++k) wires[k] = Keys::unpack(rows[y + k][word]);
    run<Sorting<side>>(wires, sorted);
#pragma unroll
    for (int k = 0; k < side; ++k) columns[k][y][word] = sorted[k].pack();
  }
  __syncthreads();
  const int word = static_cast<int>(threadIdx.x) % tile_words;
  for (int y = static_cast<int>(threadIdx.x) / tile_words; y < tile_rows; y += threads / tile_words) {
    const Index first = left + word * per_word;
    if (top + y >= image.height || first >= row) continue;
    const auto load = [&](int column, int k) {
      const int offset = column * image.channels * static_cast<int>(sizeof(T));
      const std::uint32_t* at = &columns[k][y][word + offset / word_bytes];
      const auto misplaced = static_cast<unsigned>(offset % word_bytes);
      return Keys::unpack(misplaced == 0 ? at[0] : __funnelshift_r(at[0], at[1], 8 * misplaced));
    };
    const std::uint32_t medians = median_of_columns<Keys>(std::integral_constant<int, side>(), load).pack();
    T* target = to + (slice * image.height + top + y) * row + first;
    if constexpr (sizeof(T) == word_bytes) {
      *target = kernels::from_ordered<T>(static_cast<std::int32_t>(medians));
    } else if (first + per_word <= row && reinterpret_cast<std::uintptr_t>(target) % word_bytes == 0) {
      *reinterpret_cast<std::uint32_t*>(target) = medians;
    } else {
      for (int i = 0; i < per_word && first + i < row; ++i) {
        target[i] = static_cast<T>(medians >> (8 * static_cast<int>(sizeof(T)) * i));
      }
    }
  }
}

}  // namespace

template <class T>
void median_by_network(const Context& ctx, const ImageFormat& format, Index radius, kernels::Edge<T> edge,
                       const T* from, T* to) {
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  constexpr Index wide = tile_words * word_bytes / static_cast<Index>(sizeof(T));
  const dim3 blocks = grid_of(divide_up(format.row(), wide), divide_up(format.height, tile_rows), format.slices());
  if (radius == 1) {
    launch(ctx, "median", median_kernel<T, 3>, {blocks, threads}, image, to);
  } else {
    launch(ctx, "median", median_kernel<T, 5>, {blocks, threads}, image, to);
  }
}

#define WHORL_INSTANTIATE(T) \
  template void median_by_network(const Context&, const ImageFormat&, Index, kernels::Edge<T>, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
