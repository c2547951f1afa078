// Windows of 3 x 3 numbers, on an NVIDIA GPU. Each row is prepared once for the three windows that contain it.
#pragma once

#include <algorithm>
#include <type_traits>

#include "backend/cuda/launch.hpp"
#include "filter/src/cuda/ordered/three_keys.cuh"
#include "filter/src/cuda/ordered/three_strips.cuh"
#include "whorl/core/image.hpp"
#include "whorl/core/integer.hpp"

namespace whorl::backend::cuda::three_rows {

inline constexpr int lanes = 32;
inline constexpr int warps = 4;
// The numbers of rows that a thread goes down.
inline constexpr Index shortest_run = 6;
inline constexpr Index longest_run = 96;
// The number of rows that are loaded while one is processed; the number of blocks that a multiprocessor runs at once,
// and one after the other, because some are faster than others. A row of floats takes many registers, so more threads
// are faster than more rows.
template <class T>
inline constexpr int rows_ahead = sizeof(T) == word_bytes ? 1 : 3;
template <class T>
inline constexpr int blocks_at_once = sizeof(T) == word_bytes ? 7 : 5;
template <class T>
inline constexpr int turns = sizeof(T) == word_bytes ? 1 : 2;
inline constexpr Index most_side_blocks = 1024;
// The number of words that a thread makes of each row.
template <class T>
inline constexpr int own = sizeof(T) == 1 ? 2 : 4;

// The words of a row that a thread sees, all inside the image, in their form in memory. Unaligned words are read as
// aligned ones, of which there is one more.
template <class T, int channels>
struct Row : ThreeWords<T, channels, own<T>> {
  using ThreeWords<T, channels, own<T>>::count;

  std::uint32_t words[count + 1];
  unsigned misplaced = 0;

  Row() = default;
  // If `from` is null, all numbers are the constant.
  __device__ __forceinline__ Row(const T* from, std::uint32_t constant) {
    if (from == nullptr) {
#pragma unroll
      for (int i = 0; i <= count; ++i) words[i] = constant;
      return;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(from);
    const auto* whole = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{word_bytes - 1});
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = __ldg(whole + i);
    words[count] = 0;
    if constexpr (sizeof(T) < word_bytes) {
      misplaced = 8 * static_cast<unsigned>(address % word_bytes);
      if (misplaced != 0) words[count] = __ldg(whole + count);
    }
  }

  __device__ __forceinline__ PackedKeys<T> keys(int i) const {
    if constexpr (sizeof(T) == word_bytes) return PackedKeys<T>::unpack(WordRows<T>::keys(words[i]));
    return PackedKeys<T>::unpack(__funnelshift_r(words[i], words[i + 1], misplaced));
  }
};

// The numbers at both ends of a row, which are made one by one, because their windows reach beyond the image.
struct Sides {
  Index left_end, right_begin;

  template <class Row, int own_words>
  static Sides of(Index length) {
    constexpr Index step = Index{own_words} * Row::per_word;
    // As WordRows::within.
    const Index left = round_up(Index{Row::halo + 1} * Row::per_word, step);
    const Index last = length - Index{Row::count + 1 - Row::halo} * Row::per_word;
    const Index right = last < 0 ? 0 : (last / step + 1) * step;
    return {std::min(left, length), std::min(std::max(left, right), length)};
  }
};

template <class Window, class T, int channels>
__device__ void make_sides(const EdgeSlice<T>& source, const Sides& sides, Index first, Index step, T* to) {
  const Index length = source.width * channels;
  const Index numbers = sides.left_end + length - sides.right_begin;
#pragma unroll 1
  for (Index i = first; i < numbers * source.height; i += step) {
    const Index y = i / numbers;
    const Index side = i - y * numbers;
    const Index number = side < sides.left_end ? side : sides.right_begin + side - sides.left_end;
    const Index x = number / channels;
    const auto c = static_cast<int>(number - x * channels);
    Index columns[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) columns[i] = border_index(source.edge.border, x + i - 1, source.width);
    // Whatever the type, keys are integers.
    using Key = PackedKeys<float>;
    typename Window::template Row<Key> rows[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const Index row = border_index(source.edge.border, y + i - 1, source.height);
      const auto key = [&](Index column) {
        const bool is_there = row >= 0 && column >= 0;
        const T value = is_there ? source.pixels[(row * source.width + column) * channels + c] : source.edge.value;
        return Key{static_cast<std::int32_t>(kernels::to_ordered(value))};
      };
      rows[i] = Window::of_row(key(columns[0]), key(columns[1]), key(columns[2]));
    }
    const Key found = Window::of_rows(rows[0], rows[1], rows[2]);
    to[y * length + number] = kernels::from_ordered<T>(static_cast<kernels::Ordered<T>>(found.key));
  }
}

// A thread goes down its columns. The first rows of blocks make the sides; these are slow, so they start first.
template <class Window, class T, int channels>
__global__ void __launch_bounds__(lanes* warps, blocks_at_once<T>)
    walk_three_rows(EdgeSlice<T> image, Sides sides, int side_blocks, int run_rows, std::uint32_t constant,
                    T* __restrict__ to) {
  using Words = Row<T, channels>;
  constexpr int per_word = Words::per_word;
  const Index length = image.width * channels;
  const Index slice = blockIdx.z;
  const EdgeSlice<T> source = slice_of(image, slice);
  to += slice * image.height * length;
  if (blockIdx.y < side_blocks) {
    constexpr Index threads = lanes * warps;
    const Index block = Index{blockIdx.y} * gridDim.x + blockIdx.x;
    make_sides<Window, T, channels>(source, sides, block * threads + threadIdx.y * lanes + threadIdx.x,
                                    threads * gridDim.x * side_blocks, to);
    return;
  }
  const Index first = (Index{blockIdx.x} * lanes + threadIdx.x) * own<T> * per_word;
  const Index top = (Index{blockIdx.y - side_blocks} * warps + threadIdx.y) * run_rows;
  if (first < sides.left_end || first >= sides.right_begin || top >= image.height) return;
  const Index left = first - Words::halo * per_word;
  const auto start = [&](Index y) {
    const Index inside = border_index(image.edge.border, y, image.height);
    return inside < 0 ? nullptr : source.pixels + inside * length + left;
  };
  typename Window::template Row<PackedKeys<T>> rows[3][own<T>];
  const auto make_row = [&](const Words& row, typename Window::template Row<PackedKeys<T>>* made) {
    PackedKeys<T> keys[Words::count];
#pragma unroll
    for (int i = 0; i < Words::count; ++i) keys[i] = row.keys(i);
    make_three_row<Window, T, channels, Words>(keys, made);
  };

  const T* from = start(top);
  const T* const below = start(image.height);
  T* target = to + top * length + first;
  auto rows_left = static_cast<int>(min(image.height - top, Index{run_rows}));
  // Rows of the image after the one last taken.
  auto rows_after = static_cast<int>(min(image.height - top, Index{run_rows} + 2)) - 1;
  const Words above(start(top - 1), constant);
  const Words at(from, constant);
  const auto take_next = [&] {
    from += length;
    --rows_after;
    return Words(rows_after >= 0 ? from : below, constant);
  };
  constexpr int ahead = rows_ahead<T>;
  Words next[ahead];
#pragma unroll
  for (Words& row : next) row = take_next();
  make_row(above, rows[0]);
  make_row(at, rows[1]);
#pragma unroll 1
  for (; rows_left > 0; rows_left -= 3) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (k < rows_left) {
        make_row(next[k % ahead], rows[(k + 2) % 3]);
        if (k + ahead < rows_left) next[k % ahead] = take_next();
        std::uint32_t found[own<T>];
#pragma unroll
        for (int i = 0; i < own<T>; ++i) found[i] = Window::of_rows(rows[0][i], rows[1][i], rows[2][i]).pack();
        store_words(found, first, length, target);
        target += length;
      }
    }
  }
}

/// Window has a name (for errors), Row, of_row(left, middle, right) and of_rows(above, middle, below), for keys of any
/// kind. Returns false for images that this code does not take: it takes gray and RGB; with operations at the ends,
/// strips.
template <class Window, class T>
bool walk_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge, const kernels::PointEnds& ends,
               const T* from, T* to) {
  if (three_strips::walk_strips<Window>(ctx, format, edge, ends, from, to)) return true;
  if (ends.any()) return false;
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const auto walk = [&]<int channels>(std::integral_constant<int, channels> /*of the image*/) {
    constexpr Index wide = Index{lanes} * own<T> * numbers_per_word<T>;
    const Sides sides = Sides::of<Row<T, channels>, own<T>>(format.row());
    const Index across = divide_up(format.row(), wide);
    const Index at_once = Index{properties_of(ctx).multiProcessorCount} * blocks_at_once<T> * turns<T>;
    const Index down = std::max<Index>(at_once / (across * format.slices()), 1);
    const auto run_rows = std::clamp(divide_up(format.height, down * warps), shortest_run, longest_run);
    const Index side_numbers = (sides.left_end + format.row() - sides.right_begin) * format.height;
    const Index side_blocks = std::min(divide_up(side_numbers, across * lanes * warps), most_side_blocks);
    const dim3 blocks =
        grid_of(across, side_blocks + divide_up(format.height, Index{warps} * run_rows), format.slices());
    launch(ctx, Window::name, walk_three_rows<Window, T, channels>, {blocks, dim3(lanes, warps)}, image, sides,
           static_cast<int>(side_blocks), static_cast<int>(run_rows), repeated(edge.value), to);
  };
  constexpr int gray = 1;
  constexpr int rgb = 3;
  if (image.channels == gray) {
    walk(std::integral_constant<int, gray>());
  } else if (image.channels == rgb) {
    walk(std::integral_constant<int, rgb>());
  } else {
    return false;
  }
  return true;
}

}  // namespace whorl::backend::cuda::three_rows
