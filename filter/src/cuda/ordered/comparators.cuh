// Networks of comparators on keys in registers, on an NVIDIA GPU.
#pragma once

#include <utility>

#include "filter/src/kernels/ordered/comparator_network.hpp"

namespace whorl::backend::cuda {

template <int count>
struct Sorting {
  static constexpr kernels::Network network = kernels::sorting_network(count);
};
template <int a, int b, int first, int last>
struct Merging {
  static constexpr kernels::Network network = kernels::merging_network(a, b, first, last);
};

template <class Made, std::size_t i, class Keys>
__device__ __forceinline__ void compare(Keys* wires) {
  using kernels::Compare;
  constexpr kernels::Comparator c = Made::network.comparators[i];
  const Keys a = wires[c.a];
  const Keys b = wires[c.b];
  if constexpr (c.kind == Compare::both || c.kind == Compare::low) wires[c.a] = smaller(a, b);
  if constexpr (c.kind == Compare::both || c.kind == Compare::high) wires[c.b] = larger(a, b);
}

template <class Made, class Keys, std::size_t... i>
__device__ __forceinline__ void compare_all(Keys* wires, std::index_sequence<i...> /*all*/) {
  (compare<Made, i>(wires), ...);
}

template <class Made, class Keys, std::size_t... i>
__device__ __forceinline__ void take_sorted(const Keys* wires, Keys* to, std::index_sequence<i...> /*all*/) {
  ((to[i] = wires[std::integral_constant<int, Made::network.sorted.at[i]>::value]), ...);
}

// The wires of a network after it has run, in the order of the numbers on them.
template <class Made, class Keys>
__device__ __forceinline__ void run(Keys* wires, Keys* to) {
  compare_all<Made>(wires, std::make_index_sequence<Made::network.count>());
  take_sorted<Made>(wires, to, std::make_index_sequence<Made::network.sorted.count>());
}

}  // namespace whorl::backend::cuda
