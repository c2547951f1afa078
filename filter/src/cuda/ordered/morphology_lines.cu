#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "filter/src/cuda/ordered/morphology_lines.hpp"
#include "filter/src/cuda/ordered/packed_keys.cuh"
#include "filter/src/cuda/word_rows.cuh"
#include "whorl/core/array.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Extremum;
using kernels::PointEnds;
using kernels::Rectangle;

constexpr int lanes = 32;
// For columns: the number of adjacent words per thread, and the threads of a block.
constexpr int column_threads = 128;
constexpr int shortest_run = 16;
constexpr std::size_t most_shared = (std::size_t{48} << 10) - 2 * TableEnds::table_words * sizeof(unsigned);
// For rows: the number of words of a row that a warp reads, and how many of them may lie beside its results.
constexpr int row_warps = 8;
constexpr int words_per_lane = 8;
constexpr int row_words = lanes * words_per_lane;
constexpr int most_halo = row_words / 2;

template <Extremum which, class Keys>
__device__ __forceinline__ Keys better(Keys a, Keys b) {
  if constexpr (which == Extremum::smallest) return smaller(a, b);
  if constexpr (which == Extremum::largest) return larger(a, b);
}

// Columns of 2 * radius + 1 numbers, in three comparisons each for any radius: a column is the end of one block of this
// many rows and the beginning of the next (M. van Herk, A fast algorithm for local minimum and maximum filters on
// rectangular and octagonal kernels, Pattern Recognition Letters 13, 1992).
template <class T, Extremum which, class Ends>
__global__ void __launch_bounds__(column_threads)
    extremum_of_columns(EdgeSlice<T> image, int radius, int run_rows, const __grid_constant__ Ends ends,
                        T* __restrict__ to) {
  using Keys = PackedKeys<T>;
  extern __shared__ std::uint32_t ends_of_blocks[];
  if constexpr (Ends::any) {
    ends.prepare();
    __syncthreads();
  }
  const Index length = image.width * image.channels;
  const Index first = (Index{blockIdx.x} * column_threads + threadIdx.x) * numbers_per_word<T>;
  const Index slice = blockIdx.z;
  if (first >= length) return;
  const EdgeSlice<T> source = slice_of(image, slice);
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(image.pixels) % word_bytes == 0 && length % numbers_per_word<T> == 0;
  const bool is_within = is_aligned || WordRows<T>{source, length}.within(first, 1);
  const Index top = Index{blockIdx.y} * run_rows;
  const auto rows = static_cast<int>(min(image.height - top, Index{run_rows}));
  T* target = to + (slice * image.height + top) * length + first;
  Index y = top - radius;
  const auto load = [&] {
    const Index inside = border_index(image.edge.border, y, image.height);
    ++y;
    const T* const start = source.pixels + inside * length;
    std::uint32_t word = 0;
    if (is_within && inside >= 0) {
      std::uint32_t found[1];
      WordRows<T>::template take<1>(start, first, found, ends);
      word = found[0];
    } else {
#pragma unroll
      for (int i = 0; i < numbers_per_word<T>; ++i) {
        // Beyond the end of a row: not needed.
        T value = image.edge.value;
        if (inside >= 0) {
          value = start[min(first + i, length - 1)];
          ends.load(value);
        }
        word |= static_cast<std::uint32_t>(kernels::to_ordered(value)) << (8 * static_cast<int>(sizeof(T)) * i % 32);
      }
    }
    return word;
  };
  const auto store = [&](PackedKeys<T> best) {
    const std::uint32_t words[1] = {best.pack()};
    store_words(words, first, length, target, ends);
    target += length;
  };
  // The next row is being loaded.
  std::uint32_t ahead = load();
  const auto take = [&] {
    const std::uint32_t word = ahead;
    ahead = load();
    return word;
  };
  const auto end = [&](int i) -> std::uint32_t& { return ends_of_blocks[i * column_threads + threadIdx.x]; };
  const int block = 2 * radius + 1;
#pragma unroll 1
  for (int i = 0; i < block; ++i) end(i) = take();
  for (int made = 0; made < rows; made += block) {
    Keys best = Keys::unpack(end(block - 1));
#pragma unroll 4
    for (int i = block - 2; i >= 0; --i) {
      best = better<which>(best, Keys::unpack(end(i)));
      end(i) = best.pack();
    }
    store(best);
    const int count = min(block, rows - made);
    if (count < 2) return;
    // The part of the next block, from its beginning.
    std::uint32_t word = take();
    Keys begin = Keys::unpack(word);
#pragma unroll 1
    for (int i = 1; i < count; ++i) {
      const Keys rest = Keys::unpack(end(i));
      end(i - 1) = word;
      store(better<which>(rest, begin));
      word = take();
      begin = better<which>(begin, Keys::unpack(word));
    }
    end(count - 1) = word;
  }
}

// Rows of 2 * radius + 1 pixels: a row of twice the length is the union of two; the last step joins two that overlap.
template <class T, Extremum which, class Ends>
__global__ void __launch_bounds__(lanes* row_warps)
    extremum_of_rows(EdgeSlice<T> image, Index rows, int radius, int made_words, const __grid_constant__ Ends ends,
                     T* __restrict__ to) {
  using Keys = PackedKeys<T>;
  constexpr int per_word = numbers_per_word<T>;
  __shared__ std::uint32_t words_of_warps[row_warps][row_words + most_halo];
  std::uint32_t* const words = words_of_warps[threadIdx.y];
  if constexpr (Ends::any) {
    ends.prepare();
    __syncthreads();
  }
  const int lane = static_cast<int>(threadIdx.x);
  const Index row = Index{blockIdx.y} * row_warps + threadIdx.y;
  if (row >= rows) return;
  const Index length = image.width * image.channels;
  const int reach = radius * image.channels;
  const Index first = Index{blockIdx.x} * made_words * per_word;
  const Index left = first - reach;
  const WordRows<T> source{image, length};
  const T* const start = image.pixels + row * length;

  Keys keys[words_per_lane];
  if (source.within(left, row_words)) {
    const auto address = reinterpret_cast<std::uintptr_t>(start + left);
    const auto* const from = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{word_bytes - 1}) + lane;
    const auto misplaced = 8 * static_cast<unsigned>(address % word_bytes);
    std::uint32_t found[words_per_lane];
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) found[i] = __ldg(from + i * lanes);
    if (misplaced != 0) {
#pragma unroll
      for (int i = 0; i < words_per_lane; ++i) {
        found[i] = __funnelshift_r(found[i], __ldg(from + i * lanes + 1), misplaced);
      }
    }
    ends.load(found);
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) {
      found[i] = source.keys(found[i]);
      words[lane + i * lanes] = found[i];
      keys[i] = Keys::unpack(found[i]);
    }
    __syncwarp();
  } else {
    for (int i = lane; i < row_words; i += lanes) {
      const Index number = left + i * per_word;
      if (!source.within(number, 1)) continue;
      std::uint32_t found[1];
      source.template take<1>(start, number, found, ends);
      words[i] = found[0];
    }
    // The numbers of words that are not inside the row, as far as they are needed.
    auto* const numbers = reinterpret_cast<kernels::Ordered<T>*>(words);
    const auto put = [&](int begin, int end) {
      for (int i = begin + lane; i < end; i += lanes) {
        numbers[i] = kernels::to_ordered(source.number_of_row(start, left + i, ends));
      }
    };
    // As in WordRows::within: words up to the one that begins with the number per_word, and from length - 2 * per_word on.
    const auto words_left = static_cast<int>(left >= per_word ? 0 : (2 * per_word - 1 - left) / per_word);
    const Index fitting = length - 2 * per_word - left;
    const auto words_fitting = static_cast<int>(fitting < 0 ? 0 : min(fitting / per_word + 1, Index{row_words}));
    const auto needed = static_cast<int>(min(length + reach - left, Index{row_words} * per_word));
    put(0, min(words_left * per_word, needed));
    put(max(words_left, words_fitting) * per_word, needed);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) keys[i] = Keys::unpack(words[lane + i * lanes]);
  }

  const int width = 2 * radius + 1;
  for (int long_so_far = 1; long_so_far < width;) {
    const int step = min(long_so_far, width - long_so_far);
    const int bytes = step * image.channels * static_cast<int>(sizeof(T));
    const std::uint32_t* const other = words + lane + bytes / word_bytes;
    const auto misplaced = 8 * static_cast<unsigned>(bytes % word_bytes);
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) {
      const std::uint32_t found = __funnelshift_r(other[i * lanes], other[i * lanes + 1], misplaced);
      keys[i] = better<which>(keys[i], Keys::unpack(found));
    }
    long_so_far += step;
    if (long_so_far == width) break;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < words_per_lane; ++i) words[lane + i * lanes] = keys[i].pack();
    __syncwarp();
  }
#pragma unroll
  for (int i = 0; i < words_per_lane; ++i) {
    const int word = lane + i * lanes;
    if (word < made_words) {
      const std::uint32_t made[1] = {keys[i].pack()};
      store_words(made, first + word * per_word, length, to + row * length + first + word * per_word, ends);
    }
  }
}

template <class T, Extremum which>
void launch_columns(const Context& ctx, const ImageFormat& format, const EdgeSlice<T>& image, int radius,
                    const PointEnds& points, T* to) {
  const Index across = divide_up(format.row(), Index{column_threads} * numbers_per_word<T>);
  const int block = 2 * radius + 1;
  // Runs are as long as possible while the whole device is busy.
  constexpr Index blocks_at_once = 12;
  const Index at_once = Index{properties_of(ctx).multiProcessorCount} * blocks_at_once;
  const Index down = std::max<Index>(at_once / (across * format.slices()), 1);
  const auto run_rows = static_cast<int>(std::max<Index>(divide_up(format.height, down), shortest_run));
  const dim3 blocks = grid_of(across, divide_up(format.height, run_rows), format.slices());
  const std::size_t shared = sizeof(std::uint32_t) * static_cast<std::size_t>(column_threads * block);
  with_ends<T>(points, [&](const auto& ends) {
    using Ends = std::decay_t<decltype(ends)>;
    launch(ctx, "window_extremum", extremum_of_columns<T, which, Ends>, {blocks, column_threads, shared}, image, radius,
           run_rows, ends, to);
  });
}

template <class T, Extremum which>
void launch_rows(const Context& ctx, const ImageFormat& format, const EdgeSlice<T>& image, int radius, int halo,
                 const PointEnds& points, T* to) {
  const int made_words = row_words - halo;
  const Index rows = format.slices() * format.height;
  const dim3 blocks =
      grid_of(divide_up(format.row(), Index{made_words} * numbers_per_word<T>), divide_up(rows, row_warps));
  with_ends<T>(points, [&](const auto& ends) {
    using Ends = std::decay_t<decltype(ends)>;
    launch(ctx, "window_extremum", extremum_of_rows<T, which, Ends>, {blocks, dim3(lanes, row_warps)}, image, rows,
           radius, made_words, ends, to);
  });
}

template <class T, Extremum which>
void by_lines(const Context& ctx, const ImageFormat& format, Rectangle rectangle, int halo, kernels::Edge<T> edge,
              const PointEnds& ends, const T* from, T* to) {
  EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const auto across = static_cast<int>(rectangle.x);
  const auto down = static_cast<int>(rectangle.y);
  if (down == 0) return launch_rows<T, which>(ctx, format, image, across, halo, ends, to);
  if (across == 0) return launch_columns<T, which>(ctx, format, image, down, ends, to);
  Array<T> columns(ctx, {format.shape().size()});
  launch_columns<T, which>(ctx, format, image, down, {ends.load, nullptr}, columns.data());
  image.pixels = columns.data();
  launch_rows<T, which>(ctx, format, image, across, halo, {nullptr, ends.store}, to);
}

}  // namespace

template <class T>
bool window_extremum_by_lines(const Context& ctx, const ImageFormat& format, Extremum which, Rectangle rectangle,
                              kernels::Edge<T> edge, const PointEnds& ends, const T* from, T* to) {
  // On both sides, plus one word for halos that cross the end of a word.
  const Index halo_bytes = 2 * rectangle.x * count_of(format.channels) * static_cast<Index>(sizeof(T));
  const Index halo = divide_up(halo_bytes, word_bytes) + 1;
  const Index column_bytes = (2 * rectangle.y + 1) * column_threads * static_cast<Index>(sizeof(std::uint32_t));
  constexpr Index most_blocks = 65535;
  if (halo > most_halo || column_bytes > static_cast<Index>(most_shared)) return false;
  if (format.slices() * format.height > most_blocks * row_warps) return false;
  if (which == Extremum::smallest) {
    by_lines<T, Extremum::smallest>(ctx, format, rectangle, static_cast<int>(halo), edge, ends, from, to);
  } else {
    by_lines<T, Extremum::largest>(ctx, format, rectangle, static_cast<int>(halo), edge, ends, from, to);
  }
  return true;
}

#define WHORL_INSTANTIATE(T)                                                                                        \
  template bool window_extremum_by_lines(const Context&, const ImageFormat&, Extremum, Rectangle, kernels::Edge<T>, \
                                         const PointEnds&, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
