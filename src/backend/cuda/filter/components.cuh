// Forests of runs of ones: how components of masks are united, on an NVIDIA GPU.
//
// The nodes of a forest are runs of ones within a word: two runs are two bits apart at least, so that half the bit of
// its first pixel tells a run of a word. A parent's number is below that of its children; a root is its own parent, and
// the number of all that holds a seed is below all others.
//
// J. Jaiganesh, M. Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018: roots are
// hooked by compare-and-swap, paths halved on the way.
#pragma once

#include <cstdint>

#include "kernels/filter/components.hpp"

namespace whorl::backend::cuda::components {

using Word = std::uint32_t;
inline constexpr int word_bits = kernels::BitMasks::word_bits;
inline constexpr int nodes_per_word = word_bits / 2;
inline constexpr int seeded = -1;

/// The lowest run of ones of a word that is not 0.
inline __device__ Word lowest_run(Word bits) { return bits & ~(bits + (bits & (0U - bits))); }
inline __device__ int lowest_bit(Word bits) { return __ffs(static_cast<int>(bits)) - 1; }
/// Where the run begins that holds this bit.
inline __device__ int begin_of_run(Word bits, int bit) {
  return bit + 1 - __clz(static_cast<int>(~(bits << (word_bits - 1 - bit))));
}
inline __device__ int node_of(int word, int bit) { return word * nodes_per_word + bit / 2; }

template <class Node>
__device__ int root_of(volatile Node* parents, int node) {
  int parent = parents[node];
  if (parent == node) return node;
  while (parent != seeded) {
    const int next = parents[parent];
    if (next == parent) return parent;
    parents[node] = static_cast<Node>(next);
    node = parent;
    parent = next;
  }
  return seeded;
}

template <class Node>
__device__ void unite(volatile Node* parents, int a, int b) {
  a = root_of(parents, a);
  b = root_of(parents, b);
  while (a != b) {
    const int low = min(a, b);
    const int high = max(a, b);
    const int found = atomicCAS(const_cast<Node*>(parents) + high, static_cast<Node>(high), static_cast<Node>(low));
    if (found == high) return;
    a = low;
    b = found == seeded ? seeded : root_of(parents, found);
  }
}

/// Those runs of a word of its slice whose components hold a seed.
inline __device__ Word seeded_runs(volatile int* parents, int word, Word open) {
  Word found = 0;
  for (Word rest = open; rest != 0;) {
    const Word run = lowest_run(rest);
    rest &= ~run;
    if (root_of(parents, node_of(word, lowest_bit(run))) == seeded) found |= run;
  }
  return found;
}

}  // namespace whorl::backend::cuda::components
