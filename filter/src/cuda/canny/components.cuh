// Forests of runs of ones, which unite the components of masks, on an NVIDIA GPU.
//
// The nodes of a forest are runs of ones within a word. Runs begin at least two bits apart, so half the index of its
// first bit identifies a run of a word. A parent's number is below those of its children. A root is its own parent. All
// components that contain a seed share one number below all others.
//
// J. Jaiganesh, M. Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018: roots are
// hooked by compare-and-swap, paths halved on the way. M. M. A. Patwary, J. Blair, F. Manne, Experiments on union-find
// algorithms for the disjoint-set data structure, SEA 2010: M. Rem's way up from both nodes at once.
#pragma once

#include <cstdint>

#include "filter/src/kernels/canny/components.hpp"

namespace whorl::backend::cuda::components {

using Word = std::uint32_t;
inline constexpr int word_bits = kernels::BitMasks::word_bits;
inline constexpr int nodes_per_word = word_bits / 2;
inline constexpr int seeded = -1;

/// The lowest run of ones of a word that is not 0.
inline __device__ Word lowest_run(Word bits) { return bits & ~(bits + (bits & (0U - bits))); }
inline __device__ int lowest_bit(Word bits) { return __ffs(static_cast<int>(bits)) - 1; }
/// Where runs begin.
inline __device__ Word begins_of(Word bits) { return bits & ~(bits << 1); }
/// Where the run begins that holds this bit.
inline __device__ int begin_of_run(Word bits, int bit) {
  return bit + 1 - __clz(static_cast<int>(~(bits << (word_bits - 1 - bit))));
}
inline __device__ int node_of(int word, int bit) { return word * nodes_per_word + bit / 2; }

/// The sum of the numbers of a warp's lanes before this one.
inline __device__ int sum_of_lanes_before(int number) {
  constexpr int lanes = 32;
  const int lane = static_cast<int>(threadIdx.x) % lanes;
  int sum = number;
#pragma unroll
  for (int step = 1; step < lanes; step *= 2) {
    const int before = __shfl_up_sync(~0U, sum, step);
    if (lane >= step) sum += before;
  }
  return sum - number;
}

inline __device__ int root_of(volatile int* parents, int node) {
  int parent = parents[node];
  if (parent == node) return node;
  while (parent != seeded) {
    const int next = parents[parent];
    if (next == parent) return parent;
    parents[node] = next;
    node = parent;
    parent = next;
  }
  return seeded;
}

/// Goes up from both nodes at once, each time from the one with the larger parent, until that one is a root.
inline __device__ void unite(volatile int* parents, int a, int b) {
  int above_a = parents[a];
  int above_b = parents[b];
  while (above_a != above_b) {
    if (above_a < above_b) {
      const int node = a;
      const int above = above_a;
      a = b;
      above_a = above_b;
      b = node;
      above_b = above;
    }
    if (above_a == a) {
      above_a = atomicCAS(const_cast<int*>(parents) + a, a, above_b);
      if (above_a == a) return;
    } else {
      const int next = parents[above_a];
      if (next != above_a) parents[a] = next;
      a = above_a;
      above_a = next;
    }
  }
}

}  // namespace whorl::backend::cuda::components
