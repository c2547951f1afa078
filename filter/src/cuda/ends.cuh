// Point operations at the ends of other kernels: on words after they are read from the image, and on results before
// they are written. The border is added after the load.
#pragma once

#include <type_traits>

#include "backend/cuda/runtime.hpp"
#include "filter/src/kernels/points/point_arithmetic.hpp"
#include "filter/src/kernels/points/point_ends.hpp"

namespace whorl::backend::cuda {

/// No operations: the kernel is the plain one.
struct NoEnds {
  static constexpr bool any = false;
  __device__ void prepare() const {}
  __device__ bool loads() const { return false; }
  template <class Words>
  __device__ void load(Words& /*of the image*/) const {}
  template <class Words>
  __device__ void store(Words& /*results*/) const {}
};

/// Bytes by tables of 256 bytes; null: none. A table has two words in each bank of shared memory, so that a look-up of
/// a warp takes at most two accesses.
struct TableEnds {
  static constexpr bool any = true;
  static constexpr int table_words = 64;
  const std::uint8_t* at_load;
  const std::uint8_t* at_store;

  explicit TableEnds(const kernels::PointEnds& ends) : at_load(table_of(ends.load)), at_store(table_of(ends.store)) {}

  /// A whole block calls it before it synchronizes.
  __device__ void prepare() const {
    const int threads = static_cast<int>(blockDim.x * blockDim.y);
    for (int i = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x); i < 2 * table_words; i += threads) {
      const std::uint8_t* const table = i < table_words ? at_load : at_store;
      if (table != nullptr) words()[i] = __ldg(reinterpret_cast<const unsigned*>(table) + i % table_words);
    }
  }
  __device__ bool loads() const { return at_load != nullptr; }
  /// A byte, a word, a vector or several words.
  template <class Words>
  __device__ void load(Words& from_image) const {
    if (at_load != nullptr) look_up(words(), from_image);
  }
  template <class Words>
  __device__ void store(Words& results) const {
    if (at_store != nullptr) look_up(words() + table_words, results);
  }

 private:
  static const std::uint8_t* table_of(const kernels::PointCode* points) {
    return points == nullptr ? nullptr : static_cast<const std::uint8_t*>(points->steps[0].table);
  }
  __device__ static unsigned* words() {
    __shared__ unsigned tables[2 * table_words];
    return tables;
  }
  __device__ static unsigned found(const std::uint8_t* entries, unsigned word) {
    const unsigned b[4] = {entries[word & 0xffU], entries[word >> 8 & 0xffU], entries[word >> 16 & 0xffU],
                           entries[word >> 24]};
    return __byte_perm(__byte_perm(b[0], b[1], 0x0040), __byte_perm(b[2], b[3], 0x0040), 0x5410);
  }
  __device__ static void look_up(const unsigned* table, std::uint8_t& byte) {
    byte = reinterpret_cast<const std::uint8_t*>(table)[byte];
  }
  __device__ static void look_up(const unsigned* table, unsigned& word) {
    word = found(reinterpret_cast<const std::uint8_t*>(table), word);
  }
  __device__ static void look_up(const unsigned* table, uint4& vector) {
    look_up(table, vector.x);
    look_up(table, vector.y);
    look_up(table, vector.z);
    look_up(table, vector.w);
  }
  template <class Word, int count>
  __device__ static void look_up(const unsigned* table, Word (&words)[count]) {
#pragma unroll
    for (Word& word : words) look_up(table, word);
  }
};

/// Steps on floats that treat all numbers alike.
struct NumberEnds {
  static constexpr bool any = true;

  explicit NumberEnds(const kernels::PointEnds& ends) : at_load_(ends.load), at_store_(ends.store) {}

  __device__ void prepare() const {}
  __device__ bool loads() const { return at_load_.count > 0; }
  /// Several, as floats or as their bits, a vector of these, or one.
  template <class Numbers>
  __device__ void load(Numbers& from_image) const {
    at_load_.take(from_image);
  }
  template <class Numbers>
  __device__ void store(Numbers& results) const {
    at_store_.take(results);
  }

 private:
  struct Step {
    kernels::PointOp op;
    bool clips;
    float scale, shift, low, high;
  };
  struct Steps {
    int count = 0;
    Step steps[kernels::most_point_steps] = {};

    explicit Steps(const kernels::PointCode* points) {
      if (points == nullptr) return;
      constexpr float infinity = std::numeric_limits<float>::infinity();
      for (; count < points->count; ++count) {
        const kernels::PointStep& step = points->steps[static_cast<std::size_t>(count)];
        steps[count] = {step.op,  step.low > -infinity || step.high < infinity, step.scale[0], step.shift[0], step.low,
                        step.high};
      }
    }

    template <int size>
    __device__ __forceinline__ void take(float (&numbers)[size]) const {
      namespace point = kernels::point;
      // A copy, because a loop that is not unrolled would keep the caller's numbers out of registers.
      float own[size];
#pragma unroll
      for (int k = 0; k < size; ++k) own[k] = numbers[k];
#pragma unroll 1
      for (int i = 0; i < count; ++i) {
        const Step& step = steps[i];
        if (step.op == kernels::PointOp::affine) {
#pragma unroll
          for (float& v : own) v = point::plus(point::times(v, step.scale), step.shift);
          if (!step.clips) continue;
#pragma unroll
          for (float& v : own) v = point::within(v, step.low, step.high);
        } else if (step.op == kernels::PointOp::absolute) {
#pragma unroll
          for (float& v : own) v = fabsf(v);
        } else {
#pragma unroll
          for (float& v : own) v = point::threshold(v, step.low);
        }
      }
#pragma unroll
      for (int k = 0; k < size; ++k) numbers[k] = own[k];
    }
    __device__ void take(float& number) const {
      float one[1] = {number};
      take(one);
      number = one[0];
    }
    template <int size>
    __device__ __forceinline__ void take(unsigned (&words)[size]) const {
      float numbers[size];
#pragma unroll
      for (int k = 0; k < size; ++k) numbers[k] = __uint_as_float(words[k]);
      take(numbers);
#pragma unroll
      for (int k = 0; k < size; ++k) words[k] = __float_as_uint(numbers[k]);
    }
    __device__ __forceinline__ void take(uint4& vector) const {
      unsigned words[4] = {vector.x, vector.y, vector.z, vector.w};
      take(words);
      vector = make_uint4(words[0], words[1], words[2], words[3]);
    }
  };

  Steps at_load_, at_store_;
};

/// Calls use(NoEnds) without operations, otherwise use(ends) with the type for T. There are none for uint16 (can_fuse).
template <class T, class Use>
decltype(auto) with_ends(const kernels::PointEnds& ends, const Use& use) {
  if constexpr (std::is_same_v<T, float>) {
    if (ends.any()) return use(NumberEnds(ends));
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    if (ends.any()) return use(TableEnds(ends));
  }
  return use(NoEnds());
}

}  // namespace whorl::backend::cuda
