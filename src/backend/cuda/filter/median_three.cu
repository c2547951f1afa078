#include "backend/cuda/filter/median_network.hpp"
#include "backend/cuda/filter/packed_keys.cuh"
#include "backend/cuda/filter/word_rows.cuh"
#include "backend/cuda/runtime.hpp"

namespace whorl::backend::cuda {

namespace {

// A thread makes `own` words of each of its rows, two rows at a time.
constexpr int own = 4;
constexpr int lanes = 32;
constexpr int warps = 4;
constexpr int run_rows = 16;

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

template <class T, int channels>
struct Columns {
  using Keys = PackedKeys<T>;
  static constexpr int per_word = numbers_per_word<T>;
  static constexpr int halo = (channels + per_word - 1) / per_word;
  static constexpr int words = own + 2 * halo;

  Keys low[words], mid[words], high[words];

  // Those of two sorted numbers with a third.
  __device__ void insert(int i, Keys small, Keys large, Keys added) {
    const Keys rest = larger(small, added);
    low[i] = smaller(small, added);
    mid[i] = smaller(rest, large);
    high[i] = larger(rest, large);
  }
  template <int distance>
  static __device__ Keys neighbor(const Keys* keys, int word) {
    constexpr int from = halo * per_word + distance;
    constexpr int part = from % per_word;
    const int at = word + from / per_word;
    return from_part<part>(keys[at], keys[part == 0 ? at : at + 1]);
  }
  // The median of 3 sorted columns: that of the largest of their smallest, the median of their middle ones and the
  // smallest of their largest ones.
  __device__ std::uint32_t median(int word) const {
    const int at = word + halo;
    const Keys l = larger(larger(neighbor<-channels>(low, word), low[at]), neighbor<channels>(low, word));
    const Keys m = middle(neighbor<-channels>(mid, word), mid[at], neighbor<channels>(mid, word));
    const Keys h = smaller(smaller(neighbor<-channels>(high, word), high[at]), neighbor<channels>(high, word));
    return middle(l, m, h).pack();
  }
};

template <class T, int words>
__device__ void load_row(const WordRows<T>& source, Index y, Index first, PackedKeys<T>* keys) {
  std::uint32_t found[words];
  const T* start = source.start(y);
  if (start != nullptr && source.within(first, words)) {
    source.template take<words>(start, first, found);
  } else {
#pragma unroll
    for (int i = 0; i < words; ++i) found[i] = source.word(start, first + i * numbers_per_word<T>);
  }
#pragma unroll
  for (int i = 0; i < words; ++i) keys[i] = PackedKeys<T>::unpack(found[i]);
}

template <class T>
__device__ void store_words(const std::uint32_t* words, Index first, Index row, T* to) {
  constexpr int per_word = numbers_per_word<T>;
  if constexpr (sizeof(T) < word_bytes) {
    if (first + own * per_word <= row && reinterpret_cast<std::uintptr_t>(to) % sizeof(uint4) == 0) {
      *reinterpret_cast<uint4*>(to) = {words[0], words[1], words[2], words[3]};
      return;
    }
  }
#pragma unroll
  for (int i = 0; i < own; ++i) store_word(words[i], first + i * per_word, row, to + i * per_word);
}

template <class T, int channels>
__global__ void __launch_bounds__(lanes* warps) median_of_nine(EdgeSlice<T> image, T* __restrict__ to) {
  using Sorted = Columns<T, channels>;
  using Keys = PackedKeys<T>;
  constexpr int words = Sorted::words;
  constexpr int per_word = numbers_per_word<T>;
  const Index row = image.width * channels;
  const Index first = (Index{blockIdx.x} * lanes + threadIdx.x) * own * per_word;
  const Index top = (Index{blockIdx.y} * warps + threadIdx.y) * run_rows;
  const Index slice = blockIdx.z;
  if (first >= row) return;
  const WordRows<T> source{slice_of(image, slice), row};
  const Index left = first - Sorted::halo * per_word;
  T* target = to + (slice * image.height + top) * row + first;

  Keys above[words];
  Keys upper[words];
  Keys lower[words];
  Keys below[words];
  Sorted sorted;
  std::uint32_t medians[own];
  load_row<T, words>(source, top - 1, left, above);
  load_row<T, words>(source, top, left, upper);
  const Index bottom = min(top + run_rows, image.height);
#pragma unroll 1
  for (Index y = top; y < bottom; y += 2) {
    load_row<T, words>(source, y + 1, left, lower);
    load_row<T, words>(source, y + 2, left, below);
    Keys small[words];
    Keys large[words];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      small[i] = smaller(upper[i], lower[i]);
      large[i] = larger(upper[i], lower[i]);
      sorted.insert(i, small[i], large[i], above[i]);
    }
#pragma unroll
    for (int word = 0; word < own; ++word) medians[word] = sorted.median(word);
    store_words(medians, first, row, target);
    target += row;
    if (y + 1 >= bottom) return;
#pragma unroll
    for (int i = 0; i < words; ++i) sorted.insert(i, small[i], large[i], below[i]);
#pragma unroll
    for (int word = 0; word < own; ++word) medians[word] = sorted.median(word);
    store_words(medians, first, row, target);
    target += row;
#pragma unroll
    for (int i = 0; i < words; ++i) {
      above[i] = lower[i];
      upper[i] = below[i];
    }
  }
}

}  // namespace

template <class T>
bool median_of_three_rows(const Context& ctx, const ImageFormat& format, kernels::Edge<T> edge, const T* from, T* to) {
  const EdgeSlice<T> image{from, format.height, format.width, count_of(format.channels), edge};
  const auto parts = [](Index extent, Index part) { return static_cast<unsigned>((extent + part - 1) / part); };
  constexpr Index wide = Index{lanes} * own * numbers_per_word<T>;
  const dim3 blocks(parts(format.row(), wide), parts(format.height, Index{warps} * run_rows),
                    static_cast<unsigned>(format.slices()));
  constexpr int gray = 1;
  constexpr int rgb = 3;
  if (image.channels == gray) {
    median_of_nine<T, gray><<<blocks, dim3(lanes, warps), 0, stream_of(ctx)>>>(image, to);
  } else if (image.channels == rgb) {
    median_of_nine<T, rgb><<<blocks, dim3(lanes, warps), 0, stream_of(ctx)>>>(image, to);
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
