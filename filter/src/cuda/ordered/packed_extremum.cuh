// The smaller or larger numbers of two words of keys, for all keys in the words at once.
#pragma once

#include "filter/src/kernels/ordered/morphology.hpp"
#include "filter/src/kernels/ordered/ordered.hpp"

namespace whorl::backend::cuda {

template <class T, kernels::Extremum which>
struct PackedExtremum {
  static constexpr bool smallest = which == kernels::Extremum::smallest;

  static __device__ std::uint32_t pairs(std::uint32_t a, std::uint32_t b) {
    return smallest ? __vminu2(a, b) : __vmaxu2(a, b);
  }
  static __device__ std::uint32_t of(std::uint32_t a, std::uint32_t b) {
    if constexpr (std::is_same_v<T, float>) {
      const auto x = static_cast<std::int32_t>(a);
      const auto y = static_cast<std::int32_t>(b);
      return static_cast<std::uint32_t>(smallest ? min(x, y) : max(x, y));
    } else if constexpr (sizeof(T) == 2) {
      return pairs(a, b);
    } else {
      // The upper bytes of the pairs decide, whatever is below them.
      return __byte_perm(pairs(a << 8, b << 8), pairs(a, b), 0x7351);
    }
  }
};

}  // namespace whorl::backend::cuda
