#include <limits>
#include <string>

#include "backend/cuda/filter/components.hpp"
#include "backend/cuda/launch.hpp"
#include "backend/cuda/runtime.hpp"
#include "whorl/core/error.hpp"

namespace whorl::backend::cuda {

namespace {

using Word = std::uint32_t;
constexpr int word_bits = kernels::BitMasks::word_bits;

// The nodes of a slice's forest are runs of ones within a word: two runs are two bits apart at least, so that half the
// bit of its first pixel tells a run of a word. A parent's number is below that of its children; a root is its own
// parent, and the number of all that holds a seed is below all others.
//
// J. Jaiganesh, M. Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018: roots are
// hooked by compare-and-swap, paths halved on the way.
constexpr int nodes_per_word = word_bits / 2;
constexpr int seeded = -1;

struct Masks {
  Index words, words_per_slice, words_per_row;
  const Word* mask;
  Word* seeds;
  int* parents;
};

// A word and the forest of its slice.
struct Place {
  __device__ Place(const Masks& masks, Index at)
      : number(static_cast<int>(at % masks.words_per_slice)), parents(masks.parents + (at - number) * nodes_per_word) {}
  __device__ int node(int words_on, int bit) const { return (number + words_on) * nodes_per_word + bit / 2; }
  int number;
  volatile int* parents;
};

// The lowest run of ones of a word that is not 0.
__device__ Word lowest_run(Word bits) { return bits & ~(bits + (bits & (0U - bits))); }
__device__ int lowest_bit(Word bits) { return __ffs(static_cast<int>(bits)) - 1; }
// Where the run begins that holds this bit.
__device__ int begin_of_run(Word bits, int bit) {
  return bit + 1 - __clz(static_cast<int>(~(bits << (word_bits - 1 - bit))));
}

__device__ int root_of(volatile int* parents, int node) {
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

__device__ void unite(volatile int* parents, int a, int b) {
  a = root_of(parents, a);
  b = root_of(parents, b);
  while (a != b) {
    const int low = min(a, b);
    const int high = max(a, b);
    const int found = atomicCAS(const_cast<int*>(parents) + high, high, low);
    if (found == high) return;
    a = low;
    b = found == seeded ? seeded : root_of(parents, found);
  }
}

__global__ void plant_kernel(Masks masks) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index at = blockIdx.x * Index{blockDim.x} + threadIdx.x; at < masks.words; at += stride) {
    const Place place(masks, at);
    const Word seeds = masks.seeds[at];
    Word grown = 0;
    for (Word rest = masks.mask[at]; rest != 0;) {
      const Word run = lowest_run(rest);
      const int node = place.node(0, lowest_bit(run));
      place.parents[node] = (seeds & run) != 0 ? seeded : node;
      if ((seeds & run) != 0) grown |= run;
      rest &= ~run;
    }
    if (grown != seeds) masks.seeds[at] = grown;
  }
}

__global__ void unite_kernel(Masks masks) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index at = blockIdx.x * Index{blockDim.x} + threadIdx.x; at < masks.words; at += stride) {
    const Word here = masks.mask[at];
    if (here == 0) continue;
    const Place place(masks, at);
    const auto words_per_row = static_cast<int>(masks.words_per_row);
    const int column = place.number % words_per_row;
    const bool top = place.number < words_per_row;
    const bool first = column == 0;
    const bool last = column + 1 == words_per_row;
    const Word left = first ? 0 : masks.mask[at - 1];
    const Word above = top ? 0 : masks.mask[at - words_per_row];
    const Word above_left = top || first ? 0 : masks.mask[at - words_per_row - 1];
    const Word above_right = top || last ? 0 : masks.mask[at - words_per_row + 1];
    constexpr int end = word_bits - 1;
    for (Word rest = here; rest != 0;) {
      const Word run = lowest_run(rest);
      rest &= ~run;
      const int node = place.node(0, lowest_bit(run));
      for (Word touched = above & (run | run << 1 | run >> 1); touched != 0;) {
        const int bit = lowest_bit(touched);
        unite(place.parents, node, place.node(-words_per_row, begin_of_run(above, bit)));
        touched &= ~lowest_run(touched);
      }
      if ((run & 1U) != 0) {
        if (left >> end != 0) unite(place.parents, node, place.node(-1, begin_of_run(left, end)));
        if (above_left >> end != 0) {
          unite(place.parents, node, place.node(-words_per_row - 1, begin_of_run(above_left, end)));
        }
      }
      if (run >> end != 0 && (above_right & 1U) != 0) {
        unite(place.parents, node, place.node(1 - words_per_row, 0));
      }
    }
  }
}

__global__ void gather_kernel(Masks masks) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index at = blockIdx.x * Index{blockDim.x} + threadIdx.x; at < masks.words; at += stride) {
    const Word seeds = masks.seeds[at];
    Word grown = seeds;
    const Place place(masks, at);
    for (Word rest = masks.mask[at] & ~seeds; rest != 0;) {
      const Word run = lowest_run(rest);
      rest &= ~run;
      if (root_of(place.parents, place.node(0, lowest_bit(run))) == seeded) grown |= run;
    }
    if (grown != seeds) masks.seeds[at] = grown;
  }
}

}  // namespace

void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds) {
  const Index words_per_slice = masks.height * masks.words_per_row();
  if (words_per_slice > std::numeric_limits<int>::max() / nodes_per_word) {
    throw Unsupported("grow_seeds: takes slices of up to 2^32 pixels on a GPU, got " + std::to_string(masks.width) +
                      " x " + std::to_string(masks.height) + "; use the CPU");
  }
  Array<int> parents(ctx, {masks.words() * nodes_per_word});
  const Masks job{masks.words(), words_per_slice, masks.words_per_row(), mask, seeds, parents.data()};
  const unsigned blocks = loop_blocks(ctx, job.words);
  plant_kernel<<<blocks, loop_threads, 0, stream_of(ctx)>>>(job);
  check_launch("plant");
  unite_kernel<<<blocks, loop_threads, 0, stream_of(ctx)>>>(job);
  check_launch("unite");
  gather_kernel<<<blocks, loop_threads, 0, stream_of(ctx)>>>(job);
  check_launch("gather");
}

}  // namespace whorl::backend::cuda
