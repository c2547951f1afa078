// Rows of a slice as words of keys, beginning with any number, including pixels beyond the edge, on an NVIDIA GPU.
#pragma once

#include <bit>

#include "filter/src/cuda/edge_slice.cuh"
#include "filter/src/cuda/ends.cuh"

namespace whorl::backend::cuda {

inline constexpr int word_bytes = 4;

template <class T>
inline constexpr int numbers_per_word = word_bytes / static_cast<int>(sizeof(T));

/// A word that repeats one number.
template <class T>
std::uint32_t repeated(T value) {
  if constexpr (sizeof(T) == word_bytes) return std::bit_cast<std::uint32_t>(value);
  return value * (sizeof(T) == 1 ? 0x01010101U : 0x00010001U);
}

template <class T>
struct WordRows {
  EdgeSlice<T> slice;
  Index row;  // numbers

  static constexpr int per_word = numbers_per_word<T>;

  /// The numbers of a row, which may lie outside; nullptr: they all have the constant value.
  __device__ const T* start(Index y) const {
    const Index source = border_index(slice.edge.border, y, slice.height);
    return source < 0 ? nullptr : slice.pixels + source * row;
  }

  __device__ static std::uint32_t keys(std::uint32_t word) {
    if constexpr (sizeof(T) < word_bytes) return word;
    return static_cast<std::uint32_t>(kernels::to_ordered(__uint_as_float(word)));
  }

  /// Whether `count` words from a number on, and the aligned words that contain them, are inside a row.
  __device__ bool within(Index first, int count) const {
    return first >= per_word && first + Index{count + 1} * per_word <= row;
  }

  /// The words from number `first` of a row on, all inside the row.
  template <int count, class Ends = NoEnds>
  __device__ static void take(const T* start, Index first, std::uint32_t (&words)[count], const Ends& ends = Ends()) {
    const auto address = reinterpret_cast<std::uintptr_t>(start + first);
    const auto* from = reinterpret_cast<const std::uint32_t*>(address & ~std::uintptr_t{word_bytes - 1});
    const auto misplaced = static_cast<unsigned>(address % word_bytes);
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = __ldg(from + i);
    if (misplaced != 0) {
      const std::uint32_t last = __ldg(from + count);
#pragma unroll
      for (int i = 0; i < count; ++i) {
        words[i] = __funnelshift_r(words[i], i + 1 < count ? words[i + 1] : last, 8 * misplaced);
      }
    }
    ends.load(words);
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = keys(words[i]);
  }

  /// The word from number `first` of a row on, inside or outside the row.
  template <class Ends = NoEnds>
  __device__ std::uint32_t word(const T* start, Index first, const Ends& ends = Ends()) const {
    if (start == nullptr || !within(first, 1)) return across_edge(start, first, ends);
    std::uint32_t found[1];
    take<1>(start, first, found, ends);
    return found[0];
  }

  /// A number of a row inside the image, or beside it.
  template <class Ends>
  __device__ T number_of_row(const T* start, Index number, const Ends& ends) const {
    T value = slice.edge.value;
    // Divisions are used only if necessary: most numbers of such words are inside.
    if (number >= 0 && number < row) {
      value = start[number];
      ends.load(value);
    } else {
      const Index x = number >= 0 ? number / slice.channels : -((slice.channels - 1 - number) / slice.channels);
      const Index inside = border_index(slice.edge.border, x, slice.width);
      if (inside >= 0) {
        value = start[inside * slice.channels + (number - x * slice.channels)];
        ends.load(value);
      }
    }
    return value;
  }

  /// A word across an edge, built number by number.
  template <class Ends>
  __device__ __noinline__ std::uint32_t across_edge(const T* start, Index first, const Ends& ends) const {
    std::uint32_t built = 0;
    for (int i = 0; i < per_word; ++i) {
      const T value = start == nullptr ? slice.edge.value : number_of_row(start, first + i, ends);
      built |= static_cast<std::uint32_t>(kernels::to_ordered(value)) << (8 * static_cast<int>(sizeof(T)) * i % 32);
    }
    return built;
  }
};

/// Stores the keys of a word as the numbers of a row from `first` on, up to the row's end.
template <class T, class Ends = NoEnds>
__device__ void store_word(std::uint32_t word, Index first, Index row, T* to, const Ends& ends = Ends()) {
  constexpr int per_word = numbers_per_word<T>;
  if (first >= row) return;
  if constexpr (sizeof(T) == word_bytes) {
    T number = kernels::from_ordered<T>(static_cast<std::int32_t>(word));
    ends.store(number);
    *to = number;
  } else {
    ends.store(word);
    if (first + per_word <= row && reinterpret_cast<std::uintptr_t>(to) % word_bytes == 0) {
      *reinterpret_cast<std::uint32_t*>(to) = word;
    } else {
      for (int i = 0; i < per_word && first + i < row; ++i) {
        to[i] = static_cast<T>(word >> (8 * static_cast<int>(sizeof(T)) * i));
      }
    }
  }
}

/// Stores several words, together if they are aligned.
template <int count, class T, class Ends = NoEnds>
__device__ __forceinline__ void store_words(const std::uint32_t (&words)[count], Index first, Index row, T* to,
                                            const Ends& ends = Ends()) {
  constexpr int per_word = numbers_per_word<T>;
  constexpr int together = count % 4 == 0 ? 4 : count % 2 == 0 ? 2 : 1;
  struct alignas(together * word_bytes) Vector {
    std::uint32_t at[together];
  };
  std::uint32_t bits[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    bits[i] = words[i];
    if constexpr (sizeof(T) == word_bytes) {
      bits[i] = __float_as_uint(kernels::from_ordered<T>(static_cast<std::int32_t>(words[i])));
    }
  }
  ends.store(bits);
  if (first + count * per_word <= row && reinterpret_cast<std::uintptr_t>(to) % sizeof(Vector) == 0) {
#pragma unroll
    for (int i = 0; i < count; i += together) {
      Vector vector;
#pragma unroll
      for (int j = 0; j < together; ++j) vector.at[j] = bits[i + j];
      *reinterpret_cast<Vector*>(to + i * per_word) = vector;
    }
  } else {
    const auto left = static_cast<int>(min(row - first, Index{count * per_word}));
#pragma unroll
    for (int i = 0; i < count * per_word; ++i) {
      if (i >= left) continue;
      const std::uint32_t number = bits[i / per_word] >> (8 * static_cast<int>(sizeof(T)) * (i % per_word));
      if constexpr (sizeof(T) == word_bytes) {
        to[i] = __uint_as_float(number);
      } else {
        to[i] = static_cast<T>(number);
      }
    }
  }
}

}  // namespace whorl::backend::cuda
