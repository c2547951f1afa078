#include <algorithm>
#include <bit>

#include "backend/cuda/filter/median_network.hpp"
#include "backend/cuda/filter/packed_keys.cuh"
#include "backend/cuda/filter/word_rows.cuh"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

using kernels::Ordered;

constexpr int lanes = 32;
constexpr int warps = 4;
// Rows that a thread goes down.
constexpr unsigned shortest_run = 6;
constexpr unsigned longest_run = 96;
// Blocks that a multiprocessor runs at once.
constexpr int blocks_at_once = 7;
// Words of each of its rows that a thread makes.
template <class T>
constexpr int own = sizeof(T) == 1 ? 2 : 4;

__device__ std::uint32_t upper_and_lower(std::uint32_t a, std::uint32_t b) { return __byte_perm(a, b, 0x5432); }

// The keys from the number `part` of a word on.
template <int part>
__device__ PackedKeys<std::uint8_t> from_part(PackedKeys<std::uint8_t> a, PackedKeys<std::uint8_t> b) {
  if constexpr (part == 0) return a;
  if constexpr (part == 1) return {a.odd, upper_and_lower(a.even, b.even)};
  if constexpr (part == 2) return {upper_and_lower(a.even, b.even), upper_and_lower(a.odd, b.odd)};
  return {upper_and_lower(a.odd, b.odd), b.even};
}
template <int part>
__device__ PackedKeys<std::uint16_t> from_part(PackedKeys<std::uint16_t> a, PackedKeys<std::uint16_t> b) {
  if constexpr (part == 0) return a;
  return {upper_and_lower(a.both, b.both)};
}
template <int part>
__device__ PackedKeys<float> from_part(PackedKeys<float> a, PackedKeys<float> /*b*/) {
  return a;
}

// The words of a row that a thread sees, all within the image, as they lie in memory: the last has what is behind the
// end of the one before.
template <class T, int channels>
struct Row {
  static constexpr int per_word = numbers_per_word<T>;
  static constexpr int halo = (channels + per_word - 1) / per_word;
  static constexpr int count = own<T> + 2 * halo;
  static constexpr int distance = channels;

  std::uint32_t words[count + 1];
  unsigned misplaced = 0;

  // Without a place all numbers are the constant one.
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

// Numbers of a row that are made one by one: what threads see that begin with them is not all within the image.
struct Sides {
  Index left_end, right_begin;

  template <class Row, int own_words>
  static Sides of(Index length) {
    constexpr Index step = Index{own_words} * Row::per_word;
    // As WordRows::within.
    const Index left = (Index{Row::halo + 1} * Row::per_word + step - 1) / step * step;
    const Index last = length - Index{Row::count + 1 - Row::halo} * Row::per_word;
    const Index right = last < 0 ? 0 : (last / step + 1) * step;
    return {std::min(left, length), std::min(std::max(left, right), length)};
  }
};

// Of the three numbers around each of a row's.
template <class T>
struct Sorted {
  PackedKeys<T> low[own<T>], mid[own<T>], high[own<T>];
};

template <int distance, class Row, class Keys>
__device__ __forceinline__ Keys neighbor(const Keys* keys, int word) {
  constexpr int from = Row::halo * Row::per_word + distance;
  constexpr int part = from % Row::per_word;
  const int at = word + from / Row::per_word;
  return from_part<part>(keys[at], keys[part == 0 ? at : at + 1]);
}

template <class Row, class T>
__device__ __forceinline__ void sort_row(const PackedKeys<T> (&keys)[Row::count], Sorted<T>& sorted) {
  constexpr int distance = Row::distance;
#pragma unroll
  for (int i = 0; i < own<T>; ++i) {
    sort_three(neighbor<-distance, Row>(keys, i), keys[i + Row::halo], neighbor<distance, Row>(keys, i), sorted.low[i],
               sorted.mid[i], sorted.high[i]);
  }
}

// The median of three sorted lists of three: that of the largest of their smallest, the median of their middle ones and
// the smallest of their largest ones.
template <class T>
__device__ __forceinline__ std::uint32_t median(const Sorted<T>& a, const Sorted<T>& b, const Sorted<T>& c, int i) {
  const PackedKeys<T> low = larger(larger(a.low[i], b.low[i]), c.low[i]);
  const PackedKeys<T> high = smaller(smaller(a.high[i], b.high[i]), c.high[i]);
  return middle(low, middle(a.mid[i], b.mid[i], c.mid[i]), high).pack();
}

template <class T, int channels>
__device__ void make_sides(const EdgeSlice<T>& source, Index top, Index bottom, const Sides& sides, T* to) {
  const Index length = source.width * channels;
  const auto numbers = static_cast<int>(sides.left_end + length - sides.right_begin);
  const auto count = static_cast<int>(bottom - top) * numbers;
  const auto thread = static_cast<int>(threadIdx.y * lanes + threadIdx.x);
#pragma unroll 1
  for (int i = thread; i < count; i += lanes * warps) {
    const Index y = top + i / numbers;
    const Index number = i % numbers < sides.left_end ? i % numbers : sides.right_begin + i % numbers - sides.left_end;
    const Index x = number / channels;
    const auto c = static_cast<int>(number - x * channels);
    Index columns[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) columns[i] = border_index(source.edge.border, x + i - 1, source.width);
    // Whatever the type, keys are integers.
    using Key = PackedKeys<float>;
    Key low[3], mid[3], high[3];
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      const Index row = border_index(source.edge.border, y + i - 1, source.height);
      const auto key = [&](Index column) {
        const bool is_there = row >= 0 && column >= 0;
        const T value = is_there ? source.pixels[(row * source.width + column) * channels + c] : source.edge.value;
        return Key{static_cast<std::int32_t>(kernels::to_ordered(value))};
      };
      sort_three(key(columns[0]), key(columns[1]), key(columns[2]), low[i], mid[i], high[i]);
    }
    const Key found = middle(larger(larger(low[0], low[1]), low[2]), middle(mid[0], mid[1], mid[2]),
                             smaller(smaller(high[0], high[1]), high[2]));
    to[y * length + number] = kernels::from_ordered<T>(static_cast<Ordered<T>>(found.key));
  }
}

template <class T>
std::uint32_t repeated(T value) {
  if constexpr (sizeof(T) == word_bytes) return std::bit_cast<std::uint32_t>(value);
  return value * (sizeof(T) == 1 ? 0x01010101U : 0x00010001U);
}

// A thread goes down its columns; the row after the next is on its way while one is made. The last blocks of rows make
// the sides.
template <class T, int channels>
__global__ void __launch_bounds__(lanes* warps, blocks_at_once)
    median_of_nine(EdgeSlice<T> image, Sides sides, int run_rows, std::uint32_t constant, T* __restrict__ to) {
  using Words = Row<T, channels>;
  constexpr int per_word = Words::per_word;
  const Index length = image.width * channels;
  const Index slice = blockIdx.z;
  const EdgeSlice<T> source = slice_of(image, slice);
  to += slice * image.height * length;
  if (blockIdx.x + 1 == gridDim.x) {
    const Index top = Index{blockIdx.y} * warps * run_rows;
    make_sides<T, channels>(source, top, min(top + warps * run_rows, image.height), sides, to);
    return;
  }
  const Index first = (Index{blockIdx.x} * lanes + threadIdx.x) * own<T> * per_word;
  const Index top = (Index{blockIdx.y} * warps + threadIdx.y) * run_rows;
  if (first < sides.left_end || first >= sides.right_begin || top >= image.height) return;
  const Index left = first - Words::halo * per_word;
  const auto start = [&](Index y) {
    const Index inside = border_index(image.edge.border, y, image.height);
    return inside < 0 ? nullptr : source.pixels + inside * length + left;
  };
  Sorted<T> sorted[3];
  const auto sort = [&](const Words& row, Sorted<T>& to_sorted) {
    PackedKeys<T> keys[Words::count];
#pragma unroll
    for (int i = 0; i < Words::count; ++i) keys[i] = row.keys(i);
    sort_row<Words>(keys, to_sorted);
  };

  const T* from = start(top);
  const T* const below = start(image.height);
  T* target = to + top * length + first;
  auto rows_left = static_cast<int>(min(image.height - top, Index{run_rows}));
  // Those of the image after the one last taken.
  auto rows_after = static_cast<int>(min(image.height - top, Index{run_rows} + 2)) - 1;
  sort(Words(start(top - 1), constant), sorted[0]);
  sort(Words(from, constant), sorted[1]);
  const auto take_next = [&] {
    from += length;
    --rows_after;
    return Words(rows_after >= 0 ? from : below, constant);
  };
  Words next = take_next();
#pragma unroll 1
  for (; rows_left > 0; rows_left -= 3) {
#pragma unroll
    for (int k = 0; k < 3; ++k) {
      if (k < rows_left) {
        sort(next, sorted[(k + 2) % 3]);
        if (k + 1 < rows_left) next = take_next();
        std::uint32_t medians[own<T>];
#pragma unroll
        for (int i = 0; i < own<T>; ++i) medians[i] = median(sorted[0], sorted[1], sorted[2], i);
        store_words(medians, first, length, target);
        target += length;
      }
    }
  }
}

}  // namespace

template <class T>
bool median_of_three_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge, const T* from, T* to) {
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const auto launch = [&]<int channels>(std::integral_constant<int, channels> /*of the image*/) {
    const auto parts = [](Index extent, Index part) { return static_cast<unsigned>((extent + part - 1) / part); };
    constexpr Index wide = Index{lanes} * own<T> * numbers_per_word<T>;
    const Index across = parts(format.row(), wide) + 1;
    const Index at_once = Index{properties_of(ctx).multiProcessorCount} * blocks_at_once;
    const Index down = std::max<Index>(at_once / (across * format.slices()), 1);
    const auto run_rows = std::clamp(parts(format.height, down * warps), shortest_run, longest_run);
    const dim3 blocks(static_cast<unsigned>(across), parts(format.height, Index{warps} * run_rows),
                      static_cast<unsigned>(format.slices()));
    median_of_nine<T, channels><<<blocks, dim3(lanes, warps), 0, stream_of(ctx)>>>(
        image, Sides::of<Row<T, channels>, own<T>>(format.row()), static_cast<int>(run_rows), repeated(edge.value), to);
  };
  constexpr int gray = 1;
  constexpr int rgb = 3;
  if (image.channels == gray) {
    launch(std::integral_constant<int, gray>());
  } else if (image.channels == rgb) {
    launch(std::integral_constant<int, rgb>());
  } else {
    return false;
  }
  check_launch("median");
  return true;
}

#define WHORL_INSTANTIATE(T) \
  template bool median_of_three_rows(const Context&, const ImageFormat&, kernels::Edge<T>, const T*, T*)
WHORL_INSTANTIATE(std::uint8_t);
WHORL_INSTANTIATE(std::uint16_t);
WHORL_INSTANTIATE(float);
#undef WHORL_INSTANTIATE

}  // namespace whorl::backend::cuda
