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

// Components grow within tiles first, in shared memory; only those that reach the edge of a tile without a seed stay
// open, and are united across the edges in global memory.
//
// The nodes of a forest (of a tile, of a slice) are runs of ones within a word: two runs are two bits apart at least,
// so that half the bit of its first pixel tells a run of a word. A parent's number is below that of its children; a
// root is its own parent, and the number of all that holds a seed is below all others. Numbers of a tile and of its
// slice are in the same order.
//
// J. Jaiganesh, M. Burtscher, A high-performance connected components implementation for GPUs, HPDC 2018: roots are
// hooked by compare-and-swap, paths halved on the way.
constexpr int nodes_per_word = word_bits / 2;
constexpr int seeded = -1;
constexpr int tile_columns = 4;  // words
constexpr int tile_rows = 64;
constexpr int tile_words = tile_columns * tile_rows;  // one for each thread
constexpr int end = word_bits - 1;

struct Masks {
  Index slices, words_per_slice;
  int height, words_per_row;
  int tiles_x, tiles_y;
  const Word* mask;
  Word* seeds;
  Word* open;    // runs of components of which other tiles tell whether they hold a seed
  int* parents;  // of open runs, and of all that touch the edge of a tile
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

__device__ int node_of(int word, int bit) { return word * nodes_per_word + bit / 2; }

// The words around one: left, and those of the row above.
struct Near {
  Word left, above, above_left, above_right;
};

// What a word has in common with those that come before it; the row above is `step` words away.
__device__ void unite_word(volatile int* parents, int word, int step, Word here, const Near& near) {
  for (Word rest = here; rest != 0;) {
    const Word run = lowest_run(rest);
    rest &= ~run;
    const int node = node_of(word, lowest_bit(run));
    for (Word touched = near.above & (run | run << 1 | run >> 1); touched != 0;) {
      const int bit = lowest_bit(touched);
      unite(parents, node, node_of(word - step, begin_of_run(near.above, bit)));
      touched &= ~lowest_run(touched);
    }
    if ((run & 1U) != 0) {
      if (near.left >> end != 0) unite(parents, node, node_of(word - 1, begin_of_run(near.left, end)));
      if (near.above_left >> end != 0) {
        unite(parents, node, node_of(word - step - 1, begin_of_run(near.above_left, end)));
      }
    }
    if (run >> end != 0 && (near.above_right & 1U) != 0) unite(parents, node, node_of(word - step + 1, 0));
  }
}

__global__ void __launch_bounds__(tile_words) tile_kernel(Masks masks) {
  __shared__ int parents[tile_words * nodes_per_word];
  __shared__ Word tile[tile_words];
  __shared__ unsigned reach[tile_words];  // bit i: node i of the word is a root that reaches the edge
  const int own = static_cast<int>(threadIdx.x);
  const int row = own / tile_columns;
  const int column = own % tile_columns;
  const int tiles = masks.tiles_x * masks.tiles_y;
  const Index slice = blockIdx.x / tiles;
  const int block = static_cast<int>(blockIdx.x % tiles);
  const int x0 = block % masks.tiles_x * tile_columns;
  const int y0 = block / masks.tiles_x * tile_rows;
  const bool is_there = y0 + row < masks.height && x0 + column < masks.words_per_row;
  const int number = (y0 + row) * masks.words_per_row + x0 + column;
  const Index at = slice * masks.words_per_slice + number;
  const Word here = is_there ? masks.mask[at] : 0;
  const Word seeds = here != 0 ? masks.seeds[at] : 0;

  Word grown = 0;
  for (Word rest = here; rest != 0;) {
    const Word run = lowest_run(rest);
    rest &= ~run;
    const int node = node_of(own, lowest_bit(run));
    parents[node] = (seeds & run) != 0 ? seeded : node;
    if ((seeds & run) != 0) grown |= run;
  }
  tile[own] = here;
  reach[own] = 0;
  __syncthreads();

  const bool first = column == 0;
  const bool last = column + 1 == tile_columns;
  Near near{};
  if (!first) near.left = tile[own - 1];
  if (row > 0) {
    near.above = tile[own - tile_columns];
    if (!first) near.above_left = tile[own - tile_columns - 1];
    if (!last) near.above_right = tile[own - tile_columns + 1];
  }
  unite_word(parents, own, tile_columns, here, near);
  __syncthreads();

  Word edge = row == 0 || row + 1 == tile_rows ? ~0U : 0;
  if (first) edge |= 1U;
  if (last) edge |= 1U << end;
  for (Word rest = here; (rest & edge) != 0;) {
    const Word run = lowest_run(rest);
    rest &= ~run;
    if ((run & edge) == 0) continue;
    const int root = root_of(parents, node_of(own, lowest_bit(run)));
    if (root != seeded) atomicOr(&reach[root / nodes_per_word], 1U << (root % nodes_per_word));
  }
  __syncthreads();

  int* const known = masks.parents + slice * masks.words_per_slice * nodes_per_word;
  Word open = 0;
  for (Word rest = here; rest != 0;) {
    const Word run = lowest_run(rest);
    rest &= ~run;
    const int bit = lowest_bit(run);
    const int root = root_of(parents, node_of(own, bit));
    if (root == seeded) {
      grown |= run;
      if ((run & edge) != 0) known[node_of(number, bit)] = seeded;
    } else if ((reach[root / nodes_per_word] >> (root % nodes_per_word) & 1U) != 0) {
      open |= run;
      const int word = root / nodes_per_word;
      const int place = (y0 + word / tile_columns) * masks.words_per_row + x0 + word % tile_columns;
      known[node_of(number, bit)] = place * nodes_per_word + root % nodes_per_word;
    }
  }
  if (is_there) {
    masks.open[at] = open;
    if (grown != seeds) masks.seeds[at] = grown;
  }
}

// A thread takes a word below the edge of two tiles, or the pixels on both sides of an edge to the left.
__global__ void edge_kernel(Masks masks) {
  const int width = masks.words_per_row;
  const Index below = Index{masks.tiles_y - 1} * width;
  const Index beside = Index{masks.tiles_x - 1} * masks.height;
  const Index stride = Index{gridDim.x} * blockDim.x;
  for (Index at = blockIdx.x * Index{blockDim.x} + threadIdx.x; at < masks.slices * (below + beside); at += stride) {
    const Index slice = at / (below + beside);
    const auto place = static_cast<int>(at % (below + beside));
    const Word* const mask = masks.mask + slice * masks.words_per_slice;
    volatile int* const parents = masks.parents + slice * masks.words_per_slice * nodes_per_word;
    if (place < below) {
      const int column = place % width;
      const int word = (place / width + 1) * tile_rows * width + column;
      Near near{};
      near.above = mask[word - width];
      if (column > 0) near.above_left = mask[word - width - 1];
      if (column + 1 < width) near.above_right = mask[word - width + 1];
      unite_word(parents, word, width, mask[word], near);
    } else {
      const int number = place - static_cast<int>(below);
      const int row = number / (masks.tiles_x - 1);
      const int word = row * width + (number % (masks.tiles_x - 1) + 1) * tile_columns;
      Near near{};
      near.left = mask[word - 1];
      if (row > 0) near.above_left = mask[word - width - 1];
      const Word begin = mask[word] & 1U;
      unite_word(parents, word, width, begin, near);
      if (row > 0 && near.left >> end != 0 && (mask[word - width] & 1U) != 0) {
        unite(parents, node_of(word - 1, begin_of_run(near.left, end)), node_of(word - width, 0));
      }
    }
  }
}

__global__ void gather_kernel(Masks masks) {
  const Index stride = Index{gridDim.x} * blockDim.x;
  const Index words = masks.slices * masks.words_per_slice;
  for (Index at = blockIdx.x * Index{blockDim.x} + threadIdx.x; at < words; at += stride) {
    const Word open = masks.open[at];
    if (open == 0) continue;
    const auto number = static_cast<int>(at % masks.words_per_slice);
    volatile int* const parents = masks.parents + (at - number) * nodes_per_word;
    Word grown = 0;
    for (Word rest = open; rest != 0;) {
      const Word run = lowest_run(rest);
      rest &= ~run;
      if (root_of(parents, node_of(number, lowest_bit(run))) == seeded) grown |= run;
    }
    if (grown != 0) masks.seeds[at] |= grown;
  }
}

}  // namespace

void grow_seeds(const Context& ctx, const kernels::BitMasks& masks, const std::uint32_t* mask, std::uint32_t* seeds) {
  const Index words_per_slice = masks.height * masks.words_per_row();
  if (words_per_slice > std::numeric_limits<int>::max() / nodes_per_word) {
    throw Unsupported("grow_seeds: takes slices of up to 2^32 pixels on a GPU, got " + std::to_string(masks.width) +
                      " x " + std::to_string(masks.height) + "; use the CPU");
  }
  const auto words_per_row = static_cast<int>(masks.words_per_row());
  const auto height = static_cast<int>(masks.height);
  const int tiles_x = (words_per_row + tile_columns - 1) / tile_columns;
  const int tiles_y = (height + tile_rows - 1) / tile_rows;
  Array<int> parents(ctx, {masks.words() * nodes_per_word});
  Array<Word> open(ctx, {masks.words()});
  const Masks job{masks.slices, words_per_slice, height,      words_per_row, tiles_x, tiles_y,
                  mask,         seeds,           open.data(), parents.data()};
  const Index tiles = masks.slices * tiles_x * tiles_y;
  tile_kernel<<<static_cast<unsigned>(tiles), tile_words, 0, stream_of(ctx)>>>(job);
  check_launch("grow_seeds");
  const Index edges = masks.slices * ((tiles_y - 1) * masks.words_per_row() + (tiles_x - 1) * masks.height);
  if (edges == 0) return;
  edge_kernel<<<loop_blocks(ctx, edges), loop_threads, 0, stream_of(ctx)>>>(job);
  check_launch("grow_seeds");
  gather_kernel<<<loop_blocks(ctx, masks.words()), loop_threads, 0, stream_of(ctx)>>>(job);
  check_launch("grow_seeds");
}

}  // namespace whorl::backend::cuda
